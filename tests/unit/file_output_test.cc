// SPDX-License-Identifier: Apache-2.0
// Output files are whole or not there.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "support/files.h"
#include "support/module_equal.h"
#include "tosac/io.h"

namespace tosac {
namespace {

namespace fs = std::filesystem;
using ::tosac::testing::TempDirectory;

std::string Text(const std::string& path) {
  const std::vector<uint8_t> bytes = testing::ReadBytes(path);
  return {bytes.begin(), bytes.end()};
}

mode_t Mode(const std::string& path) {
  struct stat info = {};
  EXPECT_EQ(stat(path.c_str(), &info), 0);
  return info.st_mode & 07777;
}

size_t Entries(const TempDirectory& directory) {
  return static_cast<size_t>(
      std::distance(fs::directory_iterator(directory.path()), fs::directory_iterator()));
}

void ExpectWritten(const std::string& text, const std::string& path) {
  const Result<void> written = WriteText(text, path);
  ASSERT_TRUE(written.ok()) << written.diag().ToString();
}

void ExpectFailure(const Result<void>& result) {
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.diag().rule, "io-write");
  EXPECT_FALSE(result.diag().location.file.empty());
}

TEST(FileOutput, NewFilesGetTheModeOfAnyNewFile) {
  const TempDirectory directory;
  const mode_t mask = umask(027);
  ExpectWritten("new", directory.File("out"));
  umask(mask);
  EXPECT_EQ(Text(directory.File("out")), "new");
  EXPECT_EQ(Mode(directory.File("out")), 0640u);
  EXPECT_EQ(Entries(directory), 1u);
}

TEST(FileOutput, ReplacedFilesKeepTheirMode) {
  const TempDirectory directory;
  const std::string path = directory.File("out");
  ExpectWritten("a longer old text", path);
  ASSERT_EQ(chmod(path.c_str(), 0751), 0);
  ExpectWritten("new", path);
  EXPECT_EQ(Text(path), "new");
  EXPECT_EQ(Mode(path), 0751u);
  EXPECT_EQ(Entries(directory), 1u);
}

TEST(FileOutput, LinksAreFollowed) {
  const TempDirectory directory;
  fs::create_directory(directory.File("d"));
  ExpectWritten("old", directory.File("d/target"));
  fs::create_symlink("d/target", directory.File("one"));
  fs::create_symlink(directory.File("one"), directory.File("two"));
  ExpectWritten("new", directory.File("two"));
  EXPECT_EQ(Text(directory.File("d/target")), "new");
  EXPECT_TRUE(fs::is_symlink(directory.File("one")));
  EXPECT_TRUE(fs::is_symlink(directory.File("two")));
  fs::create_symlink("d/made", directory.File("dangling"));
  ExpectWritten("made", directory.File("dangling"));
  EXPECT_EQ(Text(directory.File("d/made")), "made");
  EXPECT_TRUE(fs::is_symlink(directory.File("dangling")));
}

TEST(FileOutput, LinksInALoopAreAnError) {
  const TempDirectory directory;
  fs::create_symlink("b", directory.File("a"));
  fs::create_symlink("a", directory.File("b"));
  ExpectFailure(WriteText("new", directory.File("a")));
  EXPECT_TRUE(fs::is_symlink(directory.File("a")));
}

TEST(FileOutput, DirectoriesAreAnError) {
  const TempDirectory directory;
  ExpectFailure(WriteText("new", directory.path()));
  ExpectFailure(WriteText("new", directory.File("missing/out")));
  EXPECT_EQ(Entries(directory), 0u);
}

TEST(FileOutput, LeftoversOfAnotherRunAreNoObstacle) {
  const TempDirectory directory;
  const std::string stale = directory.File("out." + std::to_string(getpid()) + "-0.tmp");
  ExpectWritten("stale", stale);
  ExpectWritten("new", directory.File("out"));
  EXPECT_EQ(Text(directory.File("out")), "new");
  EXPECT_EQ(Text(stale), "stale");
}

TEST(FileOutput, TheOutputMayBeTheInput) {
  const TempDirectory directory;
  const std::string path = directory.File("m.tosa");
  fs::copy_file(testing::DataPath("mlp_fp.tosa"), path);
  Result<Module> module = ReadTosaFile(path);
  ASSERT_TRUE(module.ok());
  const Result<void> written = WriteTosaFile(*module, path);
  ASSERT_TRUE(written.ok()) << written.diag().ToString();
  Result<Module> again = ReadTosaFile(path);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(testing::ModuleDifference(*module, *again), "");
}

TEST(FileOutput, AFullDeviceIsAnError) {
  struct stat info = {};
  if (stat("/dev/full", &info) != 0) GTEST_SKIP() << "this system has no /dev/full";
  ExpectFailure(WriteText("text", "/dev/full"));
  EXPECT_EQ(stat("/dev/full", &info), 0);
  EXPECT_TRUE(S_ISCHR(info.st_mode));
}

// Stands in for a full disk: no file may grow past 1,000 bytes.
class FileSizeLimit {
 public:
  FileSizeLimit() {
    getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit small = {1000, old_.rlim_max};
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit old_ = {};
  void (*handler_)(int) = SIG_DFL;
};

TEST(FileOutput, AFullDiskLeavesTheOldFileAndNothingElse) {
  const TempDirectory directory;
  const std::string path = directory.File("out");
  ExpectWritten("old", path);
  {
    const FileSizeLimit limit;
    ExpectFailure(WriteText(std::string(5000, 'x'), path));
    ExpectFailure(WriteText(std::string(5000, 'x'), directory.File("other")));
  }
  EXPECT_EQ(Text(path), "old");
  EXPECT_EQ(Entries(directory), 1u);
}

TEST(FileOutput, FifosAreWrittenDirectly) {
  const TempDirectory directory;
  const std::string path = directory.File("fifo");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const std::string text(200'000, 'f');  // more than a pipe holds
  std::string got;
  std::thread reader([&] { got = Text(path); });
  const Result<void> written = WriteText(text, path);
  reader.join();
  EXPECT_TRUE(written.ok());
  EXPECT_EQ(got, text);
  EXPECT_EQ(Entries(directory), 1u);
}

TEST(FileOutput, ManyPiecesAndEmptyOnes) {
  const TempDirectory directory;
  const std::string path = directory.File("out");
  std::vector<uint8_t> bytes(5000);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 7);
  std::vector<std::span<const uint8_t>> pieces;
  for (size_t i = 0; i < bytes.size(); ++i) {
    pieces.emplace_back(std::span(bytes).subspan(i, 1));
    if (i % 3 == 0) pieces.emplace_back();
  }
  ASSERT_TRUE(WriteFile(pieces, path).ok());
  EXPECT_EQ(testing::ReadBytes(path), bytes);
  ASSERT_TRUE(WriteFile({}, path).ok());
  EXPECT_EQ(fs::file_size(path), 0u);
}

}  // namespace
}  // namespace tosac
