#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "recipe/recipe.h"

// A recipe or an InputError; and a recipe, printed, is the same recipe.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    std::string printed;
    try {
        printed = cmr::recipe::to_toml(cmr::recipe::parse_recipe(text, "fuzz.toml"));
    } catch (const cmr::InputError&) {
        return 0;
    }
    if (cmr::recipe::to_toml(cmr::recipe::parse_recipe(printed, "printed.toml")) != printed) std::abort();
    return 0;
}
