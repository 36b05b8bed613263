// cmr-train: the verbs that need libtorch. Started by cmr, which has read and checked the arguments.

#include <cerrno>
#include <cstdio>
#include <exception>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/memory.h"
#include "fit.h"
#include "io/json_fields.h"
#include "selftest.h"

namespace {

int run(const std::vector<std::string>& arguments) {
    if (arguments == std::vector<std::string>{"selftest"}) return cmr::train::selftest(/*json=*/false);
    if (arguments == std::vector<std::string>{"selftest", "--json"}) return cmr::train::selftest(/*json=*/true);
    if (arguments.size() == 2 && arguments[0] == "fit") {
        cmr::cli::FitRequest request;
        cmr::io::from_json(arguments[1], "cmr fit", "option", request);
        return cmr::train::fit(request);
    }
    throw cmr::InputError("cmr-train is started by cmr; use `cmr --help`");
}

}  // namespace

int main(int count, char** values) {
    cmr::keep_freed_memory();
    try {
        const int code = run({values + 1, values + count});
        if (std::fflush(stdout) != 0)
            throw cmr::InputError("cannot write the result: {}", std::generic_category().message(errno));
        return code;
    } catch (const cmr::InputError& error) {
        std::fprintf(stderr, "cmr: %s\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "cmr: %s\nThis is a bug in cmr. Please report it with the output of `cmr info`.\n",
                     error.what());
        return 1;
    }
}
