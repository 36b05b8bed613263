// cmr-train: the verbs that need libtorch. Started by cmr, which has read and checked the arguments.

#include <string>
#include <vector>

#include "base/error.h"
#include "base/memory.h"
#include "fit.h"
#include "io/json_fields.h"
#include "run_program.h"
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
    return cmr::run_program([&] {
        const int code = run({values + 1, values + count});
        cmr::print_result("");  // what was printed has arrived
        return code;
    });
}
