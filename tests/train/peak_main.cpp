// Trains one epoch of a given shape in a process of its own and tells, in bytes, the most memory it ever held and what
// memory_of_training says. Usage: train_peak BATCH CAUSES EFFECTS LENGTH WIDTH LAYERS [METHOD]

#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>

#include "base/error.h"
#include "base/memory.h"
#include "data/synthetic.h"
#include "support/temporary_folder.h"
#include "train/fit.h"

int main(int count, char** values) {
    using namespace cmr;
    const auto number = [&](int i) { return std::strtoll(values[i], nullptr, 10); };
    keep_freed_memory();  // as cmr-train does
    std::vector<bool> effects(number(2), false);
    effects.resize(number(2) + number(3), true);
    recipe::Recipe recipe = test::make_recipe(number(4), number(4));
    recipe.train.batch = number(1);
    recipe.train.max_epochs = 1;
    recipe.model.width = number(5);
    recipe.model.layers = number(6);
    if (count > 7) recipe.model.method = values[7];
    data::Dataset dataset = test::make_dataset(effects);
    for (data::Channel& channel : dataset.channels) channel.group = channel.effect ? "answer" : "drive";
    const int64_t two_steps = 2 * recipe.train.batch;
    test::add_recording(dataset, (two_steps + 2) * recipe.window.length, 1);
    data::Fold fold;
    for (int64_t i = 0; i < two_steps + 2; ++i)
        (i < two_steps ? fold.train : fold.validation).push_back({0, i * recipe.window.length});
    const model::Preprocessing preprocessing = model::prepare(dataset, recipe, fold);
    try {
        const test::TemporaryFolder folder;
        train::FitOptions options;
        options.checkpoint = folder / "part";
        train::fit(dataset, recipe, fold, preprocessing, options);
    } catch (const InputError&) {  // nothing to learn from noise
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    fmt::print("{} {}\n", usage.ru_maxrss * 1024,
               train::memory_of_training(preprocessing.config, recipe.train.batch, recipe.window.length));
}
