// SPDX-License-Identifier: Apache-2.0
#ifndef TOSAC_VERSION_H_
#define TOSAC_VERSION_H_

// The release; CMakeLists.txt reads it from here.
#define TOSAC_VERSION "0.1.0"

#endif  // TOSAC_VERSION_H_
