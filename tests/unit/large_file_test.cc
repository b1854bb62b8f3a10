// SPDX-License-Identifier: Apache-2.0
// Files over 2 GB. They are sparse: nothing here touches the bytes of the constants.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <memory>

#include "support/files.h"
#include "support/modules.h"
#include "support/raw_tosa.h"
#include "tosac/io.h"

namespace tosac {
namespace {

constexpr uint64_t kGiB = uint64_t{1} << 30;

TEST(LargeFile, ConstantsBehindTwoGigabytesAreRead) {
  const testing::TempDirectory directory;
  const std::string path = directory.File("large.tosa");
  testing::RawFile file;
  file.tensors.push_back({.name = "w",
                          .shape = {1 << 20, 1 << 10},
                          .type = 3,
                          .data = {},
                          .offset = kGiB * 2,
                          .size = kGiB});
  file.tensors.push_back(
      {.name = "v", .shape = {8}, .type = 3, .data = {}, .offset = 3 * kGiB - 8, .size = 8});
  testing::WriteBytes(path, Build(file));
  if (truncate(path.c_str(), static_cast<off_t>(3 * kGiB)) != 0) {
    GTEST_SKIP() << "no room for a sparse file of 3 GiB";
  }
  Result<Module> module = ReadTosaFile(path);
  ASSERT_TRUE(module.ok()) << module.diag().ToString();
  EXPECT_EQ(module->file_bytes, 3 * kGiB);
  const Block& block = module->regions[0].blocks[0];
  EXPECT_TRUE(block.values[0].external);
  EXPECT_EQ(block.values[0].data.size(), kGiB);
  EXPECT_EQ(block.values[1].data.data() - block.values[0].data.data(),
            static_cast<std::ptrdiff_t>(kGiB - 8));
}

TEST(LargeFile, OverTwoGigabytesInsideIsRefused) {
  // Address space, not memory.
  const size_t size = 3 * kGiB;
  void* address =
      mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) GTEST_SKIP() << "no address space for 3 GiB";
  Module module;
  module.regions.resize(1);
  module.regions[0].blocks.resize(1);
  Block& block = module.regions[0].blocks[0];
  testing::AddValue(&block, "w", DType::kINT8, {1 << 20, 3 << 10});
  block.values[0].has_data = true;
  block.values[0].data = {static_cast<const uint8_t*>(address), size};
  Result<Encoded> inside = EncodeTosa(module, {.constants = ConstantForm::kInline});
  ASSERT_FALSE(inside.ok());
  EXPECT_EQ(inside.diag().rule, "tosa-too-large");
  Result<Encoded> outside = EncodeTosa(module, {.constants = ConstantForm::kExternal});
  ASSERT_TRUE(outside.ok()) << outside.diag().ToString();
  EXPECT_GT(outside->size, size);
  // Just below the limit, inside: the bytes are a view of where they lie, never a copy.
  const size_t below = 2 * kGiB - (1 << 20);
  block.values[0].shape = {static_cast<int32_t>(below)};
  block.values[0].data = block.values[0].data.first(below);
  Result<Encoded> fits = EncodeTosa(module, {.constants = ConstantForm::kInline});
  ASSERT_TRUE(fits.ok()) << fits.diag().ToString();
  bool viewed = false;
  uint64_t sum = 0;
  for (const std::span<const uint8_t> piece : fits->pieces) {
    viewed = viewed || piece.data() == block.values[0].data.data();
    sum += piece.size();
  }
  EXPECT_TRUE(viewed);
  EXPECT_EQ(sum, fits->size);
  munmap(address, size);
}

}  // namespace
}  // namespace tosac
