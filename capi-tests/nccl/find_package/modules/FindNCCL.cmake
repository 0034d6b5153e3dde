# Finds NCCL, as the FindNCCL.cmake of other projects does.
#
# Looks in NCCL_ROOT, NCCL_INCLUDE_DIR and NCCL_LIB_DIR, of CMake or of the environment.
# Sets NCCL_FOUND, NCCL_INCLUDE_DIRS, NCCL_LIBRARIES and NCCL_VERSION.
include(FindPackageHandleStandardArgs)

set(_nccl_roots ${NCCL_ROOT} $ENV{NCCL_ROOT})

find_path(NCCL_HEADER_FOLDER
  NAMES nccl.h
  HINTS ${NCCL_INCLUDE_DIR} $ENV{NCCL_INCLUDE_DIR} ${_nccl_roots}
  PATH_SUFFIXES include)

find_library(NCCL_LIBRARY
  NAMES nccl
  HINTS ${NCCL_LIB_DIR} $ENV{NCCL_LIB_DIR} ${_nccl_roots}
  PATH_SUFFIXES lib lib64)

if(NCCL_HEADER_FOLDER)
  set(_nccl_version "")
  foreach(_nccl_part IN ITEMS MAJOR MINOR PATCH)
    file(STRINGS ${NCCL_HEADER_FOLDER}/nccl.h _nccl_line REGEX "^#define[ \t]+NCCL_${_nccl_part}[ \t]")
    string(REGEX MATCH "[0-9]+" _nccl_number "${_nccl_line}")
    list(APPEND _nccl_version ${_nccl_number})
  endforeach()
  list(JOIN _nccl_version "." NCCL_VERSION)
endif()

find_package_handle_standard_args(NCCL
  REQUIRED_VARS NCCL_LIBRARY NCCL_HEADER_FOLDER
  VERSION_VAR NCCL_VERSION)

if(NCCL_FOUND)
  set(NCCL_INCLUDE_DIRS ${NCCL_HEADER_FOLDER})
  set(NCCL_LIBRARIES ${NCCL_LIBRARY})
endif()
