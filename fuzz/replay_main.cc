// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target over files, without libFuzzer. Arguments: files and directories; options
// (-runs=0), which libFuzzer would read, are ignored. Exit 0; 1 when there was nothing to run.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

namespace fs = std::filesystem;

bool RunFile(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    return false;
  }
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  size_t runs = 0;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]).starts_with('-')) continue;
    std::vector<fs::path> paths;
    if (fs::is_directory(argv[i])) {
      for (const fs::directory_entry& entry : fs::directory_iterator(argv[i])) {
        paths.push_back(entry.path());
      }
    } else {
      paths.emplace_back(argv[i]);
    }
    for (const fs::path& path : paths) {
      if (!RunFile(path)) return 1;
      ++runs;
    }
  }
  std::printf("%zu inputs\n", runs);
  return runs == 0 ? 1 : 0;
}
