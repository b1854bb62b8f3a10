// SPDX-License-Identifier: Apache-2.0
#ifndef TOSAC_JSON_H_
#define TOSAC_JSON_H_

#include <string>
#include <string_view>

namespace tosac {

// `text` as a JSON string, with its quotes. Bytes that are no UTF-8 become U+FFFD.
std::string JsonString(std::string_view text);

}  // namespace tosac

#endif  // TOSAC_JSON_H_
