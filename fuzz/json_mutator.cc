// SPDX-License-Identifier: Apache-2.0
// A libFuzzer mutator for JSON texts: most of its changes keep the text JSON, so that they reach
// what is behind the parser. Archives ("PK...") are changed bytewise.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

struct Span {
  size_t begin;
  size_t end;
};

// The values of the text: strings, scalars, objects and arrays. A text that is no JSON gives some
// spans or none.
std::vector<Span> Values(std::string_view text) {
  std::vector<Span> values;
  std::vector<size_t> open;
  for (size_t i = 0; i < text.size();) {
    const size_t begin = i;
    const char c = text[i];
    if (c == '{' || c == '[') {
      open.push_back(i++);
    } else if (c == '}' || c == ']') {
      ++i;
      if (!open.empty()) {
        values.push_back({open.back(), i});
        open.pop_back();
      }
    } else if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) {
        if (text[i] == '\\') ++i;
      }
      i = std::min(i + 1, text.size());
      if (i >= text.size() || text[i] != ':') values.push_back({begin, i});  // else it is a key
    } else if (std::string_view(",: \n\t\r").find(c) != std::string_view::npos) {
      ++i;
    } else {
      while (i < text.size() && std::string_view(",:]}\n \"[{").find(text[i]) == text.npos) ++i;
      values.push_back({begin, i});
    }
  }
  return values;
}

constexpr std::string_view kEdges[] = {
    "0",    "1",    "-1",  "2",    "7",  "65536", "2147483648", "9223372036854775807",
    "true", "null", "0.5", "-0.0", "\"", "\"\"",  "1e400",      "-9223372036854775808",
    "{}",   "[]",   "[[",
};

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  std::minstd_rand random(seed);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (random() % 4 == 0 || text.starts_with("PK")) return LLVMFuzzerMutate(data, size, max_size);
  std::string changed(text);
  for (unsigned int rounds = 1 + random() % 3; rounds > 0; --rounds) {
    const std::vector<Span> values = Values(changed);
    if (values.empty()) return LLVMFuzzerMutate(data, size, max_size);
    const Span to = values[random() % values.size()];
    const Span from = values[random() % values.size()];
    const std::string piece = random() % 3 == 0 ? std::string(kEdges[random() % std::size(kEdges)])
                                                : changed.substr(from.begin, from.end - from.begin);
    if (random() % 4 == 0) {
      changed.insert(to.begin, piece + ",");
    } else {
      changed.replace(to.begin, to.end - to.begin, piece);
    }
    if (changed.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  }
  std::memcpy(data, changed.data(), changed.size());
  return changed.size();
}
