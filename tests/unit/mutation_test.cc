// SPDX-License-Identifier: Apache-2.0
// Sound files with a few bytes changed are read or refused; what is read can be written and read
// again, and is the same. TOSAC_MUTATIONS sets how many variants of each file are tried.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "support/files.h"
#include "support/module_equal.h"
#include "support/modules.h"
#include "tosac/io.h"

namespace tosac {
namespace {

using Bytes = std::vector<uint8_t>;

int Mutations() {
  constexpr int kDefault = 300;
  const char* text = std::getenv("TOSAC_MUTATIONS");
  return text == nullptr ? kDefault : std::atoi(text);
}

// Changes one place: a byte, a bit, a word, or a word that another place of the file holds.
void MutateOnce(std::mt19937* random, Bytes* bytes) {
  constexpr uint32_t kWords[] = {0, 1, 4, 8, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffc};
  const auto pick = [&](size_t limit) { return static_cast<size_t>((*random)()) % limit; };
  const size_t words = bytes->size() / 4;
  const size_t at = pick(bytes->size());
  const auto word = bytes->begin() + static_cast<std::ptrdiff_t>(4 * pick(words));
  switch (pick(5)) {
    case 0:
      (*bytes)[at] = static_cast<uint8_t>((*random)());
      break;
    case 1:
      (*bytes)[at] ^= static_cast<uint8_t>(1u << pick(8));
      break;
    case 2:
      (*bytes)[at] = static_cast<uint8_t>((*bytes)[at] + pick(9) - 4);
      break;
    case 3:
      std::copy_n(reinterpret_cast<const uint8_t*>(&kWords[pick(std::size(kWords))]), 4, word);
      break;
    case 4:
      std::copy_n(bytes->begin() + static_cast<std::ptrdiff_t>(4 * pick(words)), 4, word);
      break;
  }
}

// Returns whether the file was read.
bool Try(const Bytes& bytes, const std::string& what) {
  Result<Module> module = ReadTosa(bytes, nullptr, "mutated");
  if (!module.ok()) {
    EXPECT_TRUE(module.diag().rule.starts_with("tosa-")) << what << module.diag().ToString();
    return false;
  }
  for (const ConstantForm form : {ConstantForm::kAsIs, ConstantForm::kExternal}) {
    Result<Bytes> written = WriteTosa(*module, {.constants = form});
    if (!written.ok()) {
      ADD_FAILURE() << what << ": " << written.diag().ToString();
      continue;
    }
    Result<Module> again = ReadTosa(*written, nullptr, "written");
    if (!again.ok()) {
      ADD_FAILURE() << what << ": " << again.diag().ToString();
      continue;
    }
    EXPECT_EQ(testing::ModuleDifference(*module, *again, {.external = form == ConstantForm::kAsIs}),
              "")
        << what;
  }
  return true;
}

void TryMany(const Bytes& good, const std::string& what) {
  std::mt19937 random(20260801);
  int read = 0;
  const int mutations = Mutations();
  for (int i = 0; i < mutations; ++i) {
    Bytes bytes = good;
    const int places = 1 + static_cast<int>(random() % 3);
    for (int place = 0; place < places; ++place) MutateOnce(&random, &bytes);
    read += Try(bytes, what + " variant " + std::to_string(i)) ? 1 : 0;
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(read, 0) << what;
  EXPECT_LT(read, mutations) << what;
}

TEST(Mutation, SmallFiles) {
  for (const std::string& path : testing::SmallTosaFiles()) {
    TryMany(testing::ReadBytes(path), path);
  }
}

TEST(Mutation, EverythingModule) {
  Result<Bytes> written = WriteTosa(testing::EverythingModule(), {});
  ASSERT_TRUE(written.ok());
  TryMany(*written, "everything");
}

}  // namespace
}  // namespace tosac
