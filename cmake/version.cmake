# Writes FILE, the source of cmr::version(), when the version is another than it says: RELEASE alone, or with the commit of
# the git checkout SOURCE. A script, run by every build: cmake -DSOURCE=… -DRELEASE=… -DFILE=… -P version.cmake
set(version ${RELEASE})
# A checkout of somebody else's may hold us; another user may own ours.
execute_process(
  COMMAND git -c safe.directory=${SOURCE} -C ${SOURCE} rev-parse --show-prefix
  RESULT_VARIABLE failed OUTPUT_VARIABLE prefix OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT failed AND prefix STREQUAL "" AND EXISTS ${SOURCE}/.git)
  execute_process(
    COMMAND git -c safe.directory=${SOURCE} -C ${SOURCE} --no-optional-locks
      describe --always --abbrev=7 --exclude=* --dirty=.dirty
    RESULT_VARIABLE failed OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT failed)
    string(APPEND version +${commit})
  endif()
endif()
file(CONFIGURE OUTPUT ${FILE} @ONLY CONTENT [[
#include "base/version.h"

namespace cmr {

std::string_view version() { return "@version@"; }

}  // namespace cmr
]])
