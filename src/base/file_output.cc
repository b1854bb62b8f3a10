// SPDX-License-Identifier: Apache-2.0
// Output files that are whole or not there.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "tosac/io.h"

namespace tosac {
namespace {

using Bytes = std::span<const uint8_t>;

Diag WriteError(const std::string& path) {
  return Error("io-write", std::string("can not be written: ") + std::strerror(errno),
               {path == "-" ? "standard output" : path, "", ""});
}

// One call writes up to the next multiple of this many bytes of the file: the page cache takes
// aligned megabytes in less than half the time of the same bytes in one huge call.
constexpr size_t kWriteBytes = size_t{1} << 20;
// Pieces from this size on are likely views of a mapped file.
constexpr size_t kPopulateBytes = size_t{1} << 16;

// Maps the pages behind `bytes` at once, where a write would fault them in a few at a time. Only a
// hint: what can not be read fails in the write.
void Populate([[maybe_unused]] Bytes bytes) {
#ifdef MADV_POPULATE_READ
  if (bytes.size() < kPopulateBytes) return;
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto at = reinterpret_cast<uintptr_t>(bytes.data());
  const uintptr_t begin = at / page * page;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a page starts before the bytes
  madvise(reinterpret_cast<void*>(begin), at + bytes.size() - begin, MADV_POPULATE_READ);
#endif
}

// Writes every piece; false with errno set on failure.
bool WriteAll(int fd, std::span<const Bytes> pieces) {
  std::vector<iovec> batch;
  size_t next = 0;
  size_t skip = 0;  // bytes of pieces[next] that are written already
  uint64_t written = 0;
  while (true) {
    while (next < pieces.size() && skip == pieces[next].size()) {
      ++next;
      skip = 0;
    }
    if (next == pieces.size()) return true;
    batch.clear();
    size_t room = kWriteBytes - static_cast<size_t>(written % kWriteBytes);
    size_t from = skip;
    for (size_t i = next; i < pieces.size() && batch.size() < IOV_MAX && room > 0; ++i) {
      const Bytes part = pieces[i].subspan(from, std::min(room, pieces[i].size() - from));
      from = 0;
      if (part.empty()) continue;
      Populate(part);
      batch.push_back({const_cast<uint8_t*>(part.data()), part.size()});  // NOLINT: writev reads
      room -= part.size();
    }
    const ssize_t wrote = writev(fd, batch.data(), static_cast<int>(batch.size()));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return false;
    written += static_cast<uint64_t>(wrote);
    size_t left = static_cast<size_t>(wrote);
    while (left > 0) {
      const size_t step = std::min(left, pieces[next].size() - skip);
      left -= step;
      skip += step;
      if (skip < pieces[next].size()) continue;
      ++next;
      skip = 0;
    }
  }
}

// The file that `path` leads to through symbolic links (a dangling last link included).
std::string FollowLinks(std::string path) {
  constexpr int kMaxLinks = 40;  // Linux's own limit
  for (int i = 0; i < kMaxLinks; ++i) {
    char target[PATH_MAX];
    const ssize_t length = readlink(path.c_str(), target, sizeof(target));
    if (length < 0) return path;
    const std::string link(target, static_cast<size_t>(length));
    const size_t slash = path.rfind('/');
    const bool relative = link.empty() || link[0] != '/';
    path = relative && slash != std::string::npos ? path.substr(0, slash + 1) + link : link;
  }
  return path;
}

// Opens a new file beside `path`, named in `*name`; -1 with errno set on failure. The mode is what
// the process gives to any new file.
int OpenBeside(const std::string& path, std::string* name) {
  constexpr int kAttempts = 1000;
  for (int i = 0; i < kAttempts; ++i) {
    *name = path + "." + std::to_string(getpid()) + "-" + std::to_string(i) + ".tmp";
    const int fd = open(name->c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

// `mode` is that of the file to replace, if there is one.
Result<void> WriteBeside(std::span<const Bytes> pieces, const std::string& path,
                         const std::string& shown, std::optional<mode_t> mode) {
  std::string temporary;
  const int fd = OpenBeside(path, &temporary);
  if (fd < 0) return WriteError(shown);
  const bool ok = WriteAll(fd, pieces) && (!mode || fchmod(fd, *mode) == 0);
  const int failure = errno;
  const bool closed = close(fd) == 0;
  if (ok && closed && rename(temporary.c_str(), path.c_str()) == 0) return {};
  if (!ok) errno = failure;
  Diag diag = WriteError(shown);
  unlink(temporary.c_str());
  return diag;
}

}  // namespace

Result<void> WriteFile(std::span<const Bytes> pieces, const std::string& path) {
  if (path == "-") {
    if (!WriteAll(STDOUT_FILENO, pieces)) return WriteError(path);
    return {};
  }
  struct stat info = {};
  const bool exists = stat(path.c_str(), &info) == 0;
  if (!exists && errno != ENOENT) return WriteError(path);  // a loop of links, say
  if (exists && S_ISDIR(info.st_mode)) {
    errno = EISDIR;
    return WriteError(path);
  }
  if (exists && !S_ISREG(info.st_mode)) {
    const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) return WriteError(path);
    const bool ok = WriteAll(fd, pieces);
    Result<void> result = ok ? Result<void>() : Result<void>(WriteError(path));
    if (close(fd) != 0 && ok) return WriteError(path);
    return result;
  }
  std::optional<mode_t> mode;
  if (exists) {
    mode = info.st_mode & 07777;
    // Renaming would replace a file that its owner protected from writing.
    if (access(path.c_str(), W_OK) != 0) return WriteError(path);
  }
  return WriteBeside(pieces, FollowLinks(path), path, mode);
}

Result<void> WriteText(std::string_view text, const std::string& path) {
  const Bytes piece(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  return WriteFile(std::span(&piece, 1), path);
}

}  // namespace tosac
