// cmr-train: the verbs that need libtorch. Started by cmr, which has read and checked the arguments.

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/memory.h"
#include "fit.h"
#include "io/json_fields.h"
#include "selftest.h"

int main(int count, char** values) {
    const std::vector<std::string> arguments(values + 1, values + count);
    cmr::keep_freed_memory();
    try {
        if (arguments == std::vector<std::string>{"selftest"}) return cmr::train::selftest(/*json=*/false);
        if (arguments == std::vector<std::string>{"selftest", "--json"}) return cmr::train::selftest(/*json=*/true);
        if (arguments.size() == 2 && arguments[0] == "fit") {
            cmr::cli::FitRequest request;
            cmr::io::from_json(arguments[1], "cmr fit", "option", request);
            return cmr::train::fit(request);
        }
        throw cmr::InputError("cmr-train is started by cmr; use `cmr --help`");
    } catch (const cmr::InputError& error) {
        std::fprintf(stderr, "cmr: %s\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "cmr: %s\nThis is a bug in cmr. Please report it with the output of `cmr info`.\n",
                     error.what());
        return 1;
    }
}
