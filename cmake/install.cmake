# SPDX-License-Identifier: Apache-2.0
# cmake --install: tosac, libtosac, the headers, a CMake package and a pkg-config file.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_target_property(kind libtosac TYPE)
if(kind STREQUAL "SHARED_LIBRARY")
  set(TOSAC_SHARED ON)
  set(TOSAC_PC_PRIVATE .private)
  set(TOSAC_PC_LIBS "")
  set_target_properties(tosac PROPERTIES
    INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
else()  # who links a static library links what it needs
  set(TOSAC_SHARED OFF)
  set(TOSAC_PC_PRIVATE "")
  set(TOSAC_PC_LIBS " -pthread")
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tosac)
install(TARGETS tosac RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS libtosac EXPORT tosac
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/tosac DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)
install(EXPORT tosac NAMESPACE tosac:: FILE tosac-targets.cmake DESTINATION ${package_dir})
configure_package_config_file(cmake/tosac-config.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/tosac-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/tosac-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tosac-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/tosac-config-version.cmake DESTINATION ${package_dir})

# The pkg-config file finds its prefix from its own place, so that an installed tree can move.
file(RELATIVE_PATH TOSAC_PC_UP /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/tosac.pc.in ${CMAKE_CURRENT_BINARY_DIR}/tosac.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tosac.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
