// SPDX-License-Identifier: Apache-2.0
#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

namespace tosac {
namespace {

// Closes a descriptor that was opened here.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ > STDERR_FILENO) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

Diag SystemError(std::string_view rule, const std::string& what, const std::string& path) {
  return Error(rule, what + ": " + std::strerror(errno), {FileName(path), "", ""});
}

Result<FileBytes> ReadAll(int fd, const std::string& path) {
  auto buffer = std::make_shared<std::vector<uint8_t>>();
  constexpr size_t kChunk = size_t{1} << 16;
  size_t used = 0;
  while (true) {
    if (buffer->size() - used < kChunk) buffer->resize(buffer->size() * 2 + kChunk);
    const ssize_t got = read(fd, buffer->data() + used, buffer->size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError("io-read", "can not be read", path);
    if (got == 0) break;
    used += static_cast<size_t>(got);
  }
  buffer->resize(used);
  const std::span<const uint8_t> bytes(*buffer);
  return FileBytes{bytes, std::move(buffer)};
}

}  // namespace

std::string FileName(const std::string& path) { return path == "-" ? "standard input" : path; }

Result<FileBytes> OpenFile(const std::string& path) {
  if (path == "-") return ReadAll(STDIN_FILENO, path);
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return SystemError("io-open", "can not be opened", path);
  struct stat info = {};
  if (fstat(file.get(), &info) != 0) return SystemError("io-open", "can not be opened", path);
  if (S_ISDIR(info.st_mode)) {
    errno = EISDIR;
    return SystemError("io-open", "can not be opened", path);
  }
  if (!S_ISREG(info.st_mode)) return ReadAll(file.get(), path);
  const auto size = static_cast<size_t>(info.st_size);
  if (size == 0) return ReadAll(file.get(), path);  // empty, or a file of /proc
  void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (address == MAP_FAILED) return ReadAll(file.get(), path);
  const std::span<const uint8_t> bytes(static_cast<const uint8_t*>(address), size);
  std::shared_ptr<const void> owner(address, [size](const void* mapped) {
    munmap(const_cast<void*>(mapped), size);  // NOLINT: the mapping is ours
  });
  return FileBytes{bytes, std::move(owner)};
}

}  // namespace tosac
