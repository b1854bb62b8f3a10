// SPDX-License-Identifier: Apache-2.0
#include "support/files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tosac::testing {
namespace fs = std::filesystem;

std::string DataPath(const std::string& name) { return std::string(TOSAC_TEST_DATA "/") + name; }

std::vector<std::string> FilesUnder(const std::string& directory, const std::string& suffix) {
  std::vector<std::string> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory, error)) {
    const std::string path = entry.path().string();
    if (entry.is_regular_file() && path.ends_with(suffix)) files.push_back(path);
  }
  EXPECT_FALSE(error) << directory << ": " << error.message();
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> SmallTosaFiles() {
  std::vector<std::string> files = FilesUnder(TOSAC_TEST_DATA, ".tosa");
  for (const std::string& path : FilesUnder(TOSAC_TEST_DATA "/../../fuzz/corpus/tosa", ".tosa")) {
    if (!fs::path(path).filename().string().starts_with("regress-")) files.push_back(path);
  }
  return files;
}

std::optional<std::string> FixturesDirectory() {
  const char* directory = std::getenv("TOSAC_FIXTURES");
  if (directory == nullptr || *directory == '\0') return std::nullopt;
  return directory;
}

std::vector<uint8_t> ReadBytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.is_open()) << path;
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void WriteBytes(const std::string& path, const std::vector<uint8_t>& bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  EXPECT_TRUE(out.flush().good()) << path;
}

TempDirectory::TempDirectory() {
  std::string pattern = (fs::temp_directory_path() / "tosac-test-XXXXXX").string();
  const char* made = mkdtemp(pattern.data());
  EXPECT_NE(made, nullptr);
  path_ = made == nullptr ? "" : made;
}

TempDirectory::~TempDirectory() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace tosac::testing
