// SPDX-License-Identifier: Apache-2.0
// Files that tests read and write.
#ifndef TOSAC_TESTS_SUPPORT_FILES_H_
#define TOSAC_TESTS_SUPPORT_FILES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tosac::testing {

// A file of tests/data.
std::string DataPath(const std::string& name);
// The small .tosa files of the repository that are sound, sorted: those of tests/data, and those
// of the fuzz corpus that no finding left there.
std::vector<std::string> SmallTosaFiles();
// All files under `directory`, at any depth, whose name ends in `suffix`; sorted.
std::vector<std::string> FilesUnder(const std::string& directory, const std::string& suffix);
// The directory that the environment variable TOSAC_FIXTURES names, when it is set.
std::optional<std::string> FixturesDirectory();

// Whole files; a failure fails the test.
std::vector<uint8_t> ReadBytes(const std::string& path);
void WriteBytes(const std::string& path, const std::vector<uint8_t>& bytes);

// A new directory, removed with all that is in it.
class TempDirectory {
 public:
  TempDirectory();
  ~TempDirectory();
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;
  const std::string& path() const { return path_; }
  std::string File(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace tosac::testing

#endif  // TOSAC_TESTS_SUPPORT_FILES_H_
