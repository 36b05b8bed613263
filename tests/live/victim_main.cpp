// Watches the plant of a folder, takes the readings there from where its `place` says, writes down how far it is, and
// waits to be killed.

#include <cstdio>
#include <exception>
#include <fstream>

#include "live/engine.h"
#include "live/partner.h"
#include "live/readings_file.h"

int main(int, char** arguments) {
    using namespace cmr::live;
    const fs::path folder = arguments[1];
    try {
        const auto readings = read_readings(folder / "readings");
        Engine engine(read_plant(folder / "plant.toml"), [](const std::string&) {});
        engine.start();
        size_t at = 0;
        std::ifstream(folder / "place") >> at;
        while (at < readings.size()) {
            const size_t count = std::min<size_t>(35, readings.size() - at);
            engine.sink().take(std::span(readings).subspan(at, count));
            at += count;
            std::ofstream(folder / "next") << at;
            fs::rename(folder / "next", folder / "place");
        }
        for (;;) rest();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
