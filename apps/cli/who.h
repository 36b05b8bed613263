#pragma once
// Who does it, for ledgers and models.

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace cmr::cli {

// As said; otherwise $USER, which services and containers lack: then the account.
inline std::string who_acts(const std::string& said) {
    if (!said.empty()) return said;
    if (const char* user = std::getenv("USER"); user && *user) return user;
    const passwd* account = getpwuid(geteuid());
    return account ? account->pw_name : "";
}

}  // namespace cmr::cli
