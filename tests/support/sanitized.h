#pragma once
// Is this a program of `scripts/sanitize`? What a sanitizer cannot do is skipped there.

namespace cmr::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace cmr::test
