// SPDX-License-Identifier: Apache-2.0
// How many helper constants of four bytes the pool takes a second, all of them different, and all
// of them met before.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "tosac/serializer.h"

namespace {

void AddAll(tosac::TosaSerializerWithConstantPool& serializer, tosac::BlockRef block,
            uint32_t count) {
  const std::vector<int32_t> shape = {1};
  for (uint32_t i = 0; i < count; ++i) {
    uint8_t bytes[sizeof(i)];
    std::memcpy(bytes, &i, sizeof(i));
    benchmark::DoNotOptimize(serializer.AddConst(block, shape, tosac::DType::kFP32, bytes, "c"));
  }
}

void DistinctConstants(benchmark::State& state) {
  const auto count = static_cast<uint32_t>(state.range(0));
  for (auto _ : state) {
    tosac::TosaSerializerWithConstantPool serializer;
    AddAll(serializer, serializer.StartBlock(serializer.StartRegion("main"), "main"), count);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(DistinctConstants)
    ->Arg(1000)
    ->Arg(100'000)
    ->Arg(1'000'000)
    ->Unit(benchmark::kMillisecond);

void KnownConstants(benchmark::State& state) {
  const auto count = static_cast<uint32_t>(state.range(0));
  tosac::TosaSerializerWithConstantPool serializer;
  const tosac::BlockRef block = serializer.StartBlock(serializer.StartRegion("main"), "main");
  AddAll(serializer, block, count);
  for (auto _ : state) AddAll(serializer, block, count);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(KnownConstants)->Arg(1000)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
