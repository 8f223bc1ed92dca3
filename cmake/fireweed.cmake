# House build rules: one static library per src/ folder, one test program beside it.
#
#   fireweed_library(NAME base SOURCES error.cc ... DEPS fmt::fmt ...)      -> target fireweed_base
#   fireweed_library(NAME net HOT SOURCES ...)                              -> the same, optimised as far as it goes
#   fireweed_test(NAME base SOURCES error_test.cc ... DEPS ...)             -> target base_test
#   fireweed_program(NAME fireweedd SOURCES fireweedd.cc DEPS ...)          -> bin/fireweedd
#
# DEPS that name a folder ("base") are turned into the folder's target; tools/check_layers compares the same
# edges with layers.txt.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
set(CMAKE_PCH_WARN_INVALID OFF)  # headers that cannot be used as compiled are read
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

option(FIREWEED_TESTS "Build the tests" ON)
option(FIREWEED_PROGRAMS "Build the programs (sanitizer trees hold libraries and tests only)" ON)
option(FIREWEED_SUITES "Register the suites that span folders" OFF)
option(FIREWEED_BENCH "Build the benchmarks" OFF)
option(FIREWEED_PCH "Compile the standard headers once for all files" OFF)
option(FIREWEED_FUZZ "Build the fuzzers (clang only)" OFF)
set(FIREWEED_SANITIZE "" CACHE STRING "Sanitizers: '', 'address,undefined' or 'thread'")
set(FIREWEED_BOOST_ROOT "" CACHE PATH "Prefix of Boost 1.81 headers where the system has none")

find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)

add_library(fireweed_flags INTERFACE)
target_compile_options(fireweed_flags INTERFACE -Wall -Wextra -Werror -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release")
  # With optimisation, GCC 12 reports std::optional as uninitialised, std::string's own copies as overlapping and a sum
  # of strings as an out-of-bounds write. ASan's tree finds the real cases.
  target_compile_options(fireweed_flags INTERFACE -Wno-maybe-uninitialized -Wno-restrict -Wno-array-bounds
    -Wno-stringop-overflow -Wno-stringop-overread)
endif()
target_include_directories(fireweed_flags INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(fireweed_flags INTERFACE Threads::Threads)
target_compile_definitions(fireweed_flags INTERFACE FIREWEED_VERSION="${PROJECT_VERSION}"
  BOOST_ASIO_DISABLE_BOOST_DATE_TIME BOOST_ASIO_NO_DEPRECATED BOOST_ERROR_CODE_HEADER_ONLY)
if(FIREWEED_BOOST_ROOT)
  target_include_directories(fireweed_flags SYSTEM INTERFACE ${FIREWEED_BOOST_ROOT}/usr/include)
endif()

if(FIREWEED_SANITIZE)
  target_compile_options(fireweed_flags INTERFACE -fsanitize=${FIREWEED_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(fireweed_flags INTERFACE -fsanitize=${FIREWEED_SANITIZE})
  if(FIREWEED_SANITIZE MATCHES "thread")
    # Asio's fenced blocks use atomic_thread_fence, which TSan cannot see.
    target_compile_definitions(fireweed_flags INTERFACE BOOST_ASIO_DISABLE_FENCED_BLOCK)
  endif()
  if(FIREWEED_SANITIZE MATCHES "undefined")
    # clang 14 cannot emit the function check for coroutines.
    target_compile_options(fireweed_flags INTERFACE -fno-sanitize=function)
  endif()
endif()

# lld, not mold: Debian's mold 1.10 now and then writes a RELRO segment that begins before its pages, and the program
# does not load.
find_program(FIREWEED_LLD ld.lld)
if(FIREWEED_LLD)
  add_link_options(-fuse-ld=lld)
endif()
# One cache for every clone: paths below the tree are hashed relative to it, and the build directory not at all (debug
# information may name the clone that compiled a file first).
find_program(FIREWEED_CCACHE ccache)
if(FIREWEED_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=true
    CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_INODECACHE=true ${FIREWEED_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

# What nearly every file includes, compiled once per tree: over a second for each file. A file still includes what it
# uses: tools/tidy and clang's tree read each file by itself.
function(fireweed_precompile target)
  if(NOT FIREWEED_PCH)
    return()
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess)  # lets ccache see which one was used
  else()
    # Without a time stamp in it, the same headers give the same file, and ccache finds what it has.
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
  if(target STREQUAL "fireweed_base")
    target_precompile_headers(${target} PRIVATE <algorithm> <chrono> <cstdint> <deque> <functional> <map> <memory>
      <mutex> <optional> <set> <span> <string> <string_view> <utility> <variant> <vector> <fmt/format.h>)
  else()
    target_precompile_headers(${target} REUSE_FROM fireweed_base)
  endif()
endfunction()

function(fireweed_resolve_deps out)
  set(resolved)
  foreach(dep IN LISTS ARGN)
    if(IS_DIRECTORY ${CMAKE_SOURCE_DIR}/src/${dep})
      list(APPEND resolved fireweed_${dep})
    else()
      list(APPEND resolved ${dep})
    endif()
  endforeach()
  set(${out} ${resolved} PARENT_SCOPE)
endfunction()

function(fireweed_library)
  cmake_parse_arguments(ARG "HOT" "NAME" "SOURCES;DEPS" ${ARGN})
  add_library(fireweed_${ARG_NAME} STATIC ${ARG_SOURCES})
  if(ARG_HOT AND CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(fireweed_${ARG_NAME} PRIVATE -O2)  # a third more time to compile (ADR 44)
  endif()
  fireweed_resolve_deps(deps ${ARG_DEPS})
  target_link_libraries(fireweed_${ARG_NAME} PUBLIC fireweed_flags ${deps})
  if(deps)  # without fmt's definitions the compiled headers would not fit, and all of them would be read
    fireweed_precompile(fireweed_${ARG_NAME})
  endif()
endfunction()

function(fireweed_program)
  cmake_parse_arguments(ARG "" "NAME" "SOURCES;DEPS" ${ARGN})
  if(NOT FIREWEED_PROGRAMS)
    return()
  endif()
  add_executable(${ARG_NAME} ${ARG_SOURCES})
  fireweed_resolve_deps(deps ${ARG_DEPS})
  target_link_libraries(${ARG_NAME} PRIVATE fireweed_flags ${deps})
  fireweed_precompile(${ARG_NAME})
endfunction()

# A program that runs where no library can be counted on (inside machines, between daemons): static, from its own
# sources, without sanitizers in every tree, since the tests of other folders start it. SHARED are sources that the
# folder's library LIBRARY has as well: they are compiled again only where that one's are sanitized.
function(fireweed_static_program)
  cmake_parse_arguments(ARG "" "NAME;LIBRARY" "SOURCES;SHARED" ${ARGN})
  if(ARG_LIBRARY AND NOT FIREWEED_SANITIZE)
    set(ARG_SHARED $<TARGET_OBJECTS:fireweed_${ARG_LIBRARY}>)
  endif()
  add_executable(${ARG_NAME} ${ARG_SOURCES} ${ARG_SHARED})
  target_include_directories(${ARG_NAME} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_compile_options(${ARG_NAME} PRIVATE -Wall -Wextra -Werror -Wno-missing-field-initializers -Os)
  target_link_options(${ARG_NAME} PRIVATE -static)
endfunction()

if(FIREWEED_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()

# SEQUENTIAL: the folder has no threads, so the thread sanitizer's tree leaves the test out.
# CHECKED_HEAP: runs with glibc's heap checks, which abort on a double free or the free of a wild pointer. GCC 12
# miscompiles some coroutines in this way (ADR 2), and the sanitizer trees are clang's.
function(fireweed_test)
  cmake_parse_arguments(ARG "SEQUENTIAL;CHECKED_HEAP" "NAME;TIMEOUT" "SOURCES;DEPS;LABELS" ${ARGN})
  if(NOT FIREWEED_TESTS OR (ARG_SEQUENTIAL AND FIREWEED_SANITIZE MATCHES "thread"))
    return()
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(${ARG_NAME}_test ${ARG_SOURCES})
  # tests/ registers the same program of each sanitizer tree by this list.
  set_property(GLOBAL APPEND PROPERTY FIREWEED_TEST_PROGRAMS ${ARG_NAME})
  if(NOT ARG_SEQUENTIAL)
    set_property(GLOBAL APPEND PROPERTY FIREWEED_THREADED_TEST_PROGRAMS ${ARG_NAME})
  endif()
  fireweed_resolve_deps(deps ${ARG_DEPS})
  target_link_libraries(${ARG_NAME}_test PRIVATE fireweed_flags ${deps} GTest::gmock GTest::gtest_main)
  fireweed_precompile(${ARG_NAME}_test)
  set(properties LABELS "unit;${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT})
  if(ARG_CHECKED_HEAP AND NOT FIREWEED_SANITIZE)
    list(APPEND properties ENVIRONMENT
      "LD_PRELOAD=libc_malloc_debug.so.0;GLIBC_TUNABLES=glibc.malloc.check=3;MALLOC_PERTURB_=85")
  endif()
  gtest_discover_tests(${ARG_NAME}_test TEST_PREFIX "${ARG_NAME}." DISCOVERY_MODE PRE_TEST PROPERTIES ${properties})
endfunction()

# fireweed_fuzz(NAME url SOURCES url_fuzz.cc DEPS net): a libFuzzer program where FIREWEED_FUZZ is on (clang); in a
# tree with the suites, the test fuzz.NAME, which replays tests/fuzz/corpus/NAME through that program, and
# replay.NAME, which does the same with this tree's own compiler.
function(fireweed_fuzz)
  cmake_parse_arguments(ARG "" "NAME" "SOURCES;DEPS" ${ARGN})
  set_property(GLOBAL APPEND PROPERTY FIREWEED_FUZZ_PROGRAMS ${ARG_NAME})
  fireweed_resolve_deps(deps ${ARG_DEPS})
  if(NOT FIREWEED_FUZZ)
    add_executable(${ARG_NAME}_replay ${ARG_SOURCES} ${CMAKE_SOURCE_DIR}/tests/fuzz/replay_main.cc)
    target_link_libraries(${ARG_NAME}_replay PRIVATE fireweed_flags ${deps})
    add_test(NAME replay.${ARG_NAME}
      COMMAND ${ARG_NAME}_replay ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${ARG_NAME})
    set_tests_properties(replay.${ARG_NAME} PROPERTIES LABELS fuzz TIMEOUT 60)
    return()
  endif()
  add_executable(${ARG_NAME}_fuzz ${ARG_SOURCES})
  target_link_libraries(${ARG_NAME}_fuzz PRIVATE fireweed_flags ${deps})
  target_compile_options(${ARG_NAME}_fuzz PRIVATE -fsanitize=fuzzer)
  target_link_options(${ARG_NAME}_fuzz PRIVATE -fsanitize=fuzzer)
endfunction()
