// SPDX-License-Identifier: Apache-2.0
#include "base/zip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "support/zip_writer.h"

namespace tosac {
namespace {

using ::testing::HasSubstr;
using testing::WriteZip;
using testing::ZipSpec;

std::string Pattern(size_t size) {
  std::string text;
  for (size_t i = 0; i < size; ++i) text.push_back(static_cast<char>('a' + i * i % 23));
  return text;
}

std::string AsText(std::span<const uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

class ZipKinds : public ::testing::TestWithParam<bool> {};

TEST_P(ZipKinds, StoredEntriesAreUsedInPlaceAndDeflatedOnesInflated) {
  const std::string text = Pattern(3000);
  const std::vector<ZipSpec> specs = {
      {"m/b", text, true}, {"m/a", text}, {"m/empty", ""}, {"m/folder/", ""}, {"m/none", "", true}};
  const std::vector<uint8_t> archive = WriteZip(specs, GetParam());
  const auto entries = ReadZip(archive);
  ASSERT_TRUE(entries.ok()) << entries.diag().ToString();
  ASSERT_EQ(entries->size(), 4U);  // folders are none
  EXPECT_EQ((*entries)[0].name, "m/a");
  EXPECT_EQ(FindEntry(*entries, "m/c"), nullptr);
  for (const char* name : {"m/a", "m/b"}) {
    const ZipContents contents(*FindEntry(*entries, name), nullptr);
    EXPECT_EQ(contents.size(), text.size());
    const auto bytes = contents.Bytes();
    ASSERT_TRUE(bytes.ok()) << bytes.diag().ToString();
    EXPECT_EQ(AsText(*bytes), text);
    const bool inside =
        bytes->data() >= archive.data() && bytes->data() < archive.data() + archive.size();
    EXPECT_EQ(inside, std::string(name) == "m/a");
    EXPECT_EQ(contents.Bytes()->data(), bytes->data()) << "inflated once";
  }
  for (const char* name : {"m/empty", "m/none"}) {
    const auto bytes = ZipContents(*FindEntry(*entries, name), nullptr).Bytes();
    ASSERT_TRUE(bytes.ok()) << bytes.diag().ToString();
    EXPECT_TRUE(bytes->empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Zip64, ZipKinds, ::testing::Bool());

struct BadZip {
  const char* what;
  std::vector<ZipSpec> specs;
  const char* rule;
  const char* message;
};

std::vector<BadZip> BadZips() {
  const std::string text = Pattern(500);
  const auto with = [&](const std::function<void(ZipSpec&)>& change, bool deflate = false) {
    ZipSpec spec{"m/a", text, deflate};
    change(spec);
    return std::vector<ZipSpec>{spec, {"m/z", text}};
  };
  return {
      {"stored, larger", with([](ZipSpec& s) { s.size = 501; }), "archive-entry", "501 bytes"},
      {"past the end", with([](ZipSpec& s) { s.size = s.packed_size = 1 << 20; }), "archive-entry",
       "past the end"},
      {"deflate can not", with([](ZipSpec& s) { s.size = 1 << 30; }, true), "archive-entry",
       "claims 1073741824"},
      {"two of a name", {{"m/a", text}, {"m/b", text}, {"m/a", text}}, "archive-entry", "two"},
      {"shared bytes", with([](ZipSpec& s) { s.size = s.packed_size = 900; }), "archive-entry",
       "shares bytes"},
      {"another's header",
       {{"m/a", text}, {"m/b", text, false, {}, {}, {}, {}, 0U}},
       "archive-entry",
       "does not agree"},
      {"climbs", with([](ZipSpec& s) { s.name = "m/../../a"; }), "archive-entry", "leads out"},
      {"absolute", with([](ZipSpec& s) { s.name = "/etc/passwd"; }), "archive-entry", "leads out"},
      {"backslash", with([](ZipSpec& s) { s.name = "m\\a"; }), "archive-entry", "leads out"},
      {"encrypted", with([](ZipSpec& s) { s.flags = 1; }), "archive-entry", "encrypted"},
      {"bzip2", with([](ZipSpec& s) { s.method = 12; }), "archive-entry", "method 12"},
      {"zstd", with([](ZipSpec& s) { s.method = 93; }), "archive-entry", "method 93"},
  };
}

TEST(Zip, RefusesWhatNoHonestWriterMakes) {
  for (const BadZip& bad : BadZips()) {
    const std::vector<uint8_t> archive = WriteZip(bad.specs);
    const auto entries = ReadZip(archive);
    ASSERT_FALSE(entries.ok()) << bad.what;
    EXPECT_EQ(entries.diag().rule, bad.rule) << bad.what;
    EXPECT_THAT(entries.diag().message, HasSubstr(bad.message)) << bad.what;
    EXPECT_FALSE(entries.diag().location.path.empty()) << bad.what;
  }
}

TEST(Zip, RefusesABomb) {
  // 1.5 GB in 1.7 MB; each entry alone is possible, and none is inflated to find out.
  std::vector<ZipSpec> specs;
  for (int i = 0; i < 1500; ++i) {
    specs.push_back({"m/" + std::to_string(i), Pattern(1100), false, 1 << 20});
    specs.back().method = 8;
  }
  const auto entries = ReadZip(WriteZip(specs));
  ASSERT_FALSE(entries.ok());
  EXPECT_EQ(entries.diag().rule, "archive-bomb");
  EXPECT_THAT(entries.diag().message, HasSubstr("store its entries uncompressed"));
}

TEST(Zip, ChecksContentsOnUse) {
  const std::string text = Pattern(500);
  const auto first_error = [&](ZipSpec spec) -> std::string {
    const std::vector<uint8_t> archive = WriteZip(std::vector<ZipSpec>{std::move(spec)});
    const auto entries = ReadZip(archive);
    if (!entries.ok()) return "zip: " + entries.diag().ToString();
    const ZipContents contents((*entries)[0], nullptr);
    const auto bytes = contents.Bytes();
    EXPECT_FALSE(contents.Bytes().ok()) << "an error stays";
    return bytes.ok() ? "" : bytes.diag().rule;
  };
  EXPECT_EQ(first_error({"a", text, false, {}, {}, 1U}), "archive-crc");
  EXPECT_EQ(first_error({"a", text, true, {}, {}, 1U}), "archive-crc");
  EXPECT_EQ(first_error({"a", text, true, 499}), "archive-deflate");
  EXPECT_EQ(first_error({"a", text, true, 501}), "archive-deflate");
  EXPECT_EQ(first_error({"a", text, true, {}, 20}), "archive-deflate");
  ZipSpec garbage{"a", text, false, 600};
  garbage.method = 8;
  EXPECT_EQ(first_error(garbage), "archive-deflate");
}

TEST(Zip, NotAnArchiveAndTruncated) {
  const std::vector<uint8_t> archive = WriteZip(std::vector<ZipSpec>{{"m/a", Pattern(300)}});
  EXPECT_THAT(ReadZip({}).diag().message, HasSubstr("no zip archive"));
  const std::string text = Pattern(100);
  EXPECT_THAT(ReadZip({reinterpret_cast<const uint8_t*>(text.data()), text.size()}).diag().message,
              HasSubstr("no zip archive"));
  for (size_t size = 4; size < archive.size(); ++size) {
    const auto entries = ReadZip(std::span(archive).first(size));
    ASSERT_FALSE(entries.ok()) << size;
    EXPECT_EQ(entries.diag().rule, "archive-zip") << size;
    EXPECT_THAT(entries.diag().message, HasSubstr("cut off")) << size;
  }
}

}  // namespace
}  // namespace tosac
