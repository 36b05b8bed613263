// A source alone, to be killed: `source_probe FOLDER OUT key=value…` appends the value of every reading to OUT, a line
// each, after a pause as a busy disk makes it.

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include "base/error.h"
#include "io/toml/toml.h"
#include "live/sources/table.h"

namespace {

class SlowDisk : public cmr::live::Sink {
  public:
    explicit SlowDisk(const char* path) : file_(::open(path, O_WRONLY | O_APPEND | O_CREAT, 0666)) {}

    void take(std::span<const cmr::live::Reading> readings) override {
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
        std::string lines;
        for (const auto& reading : readings) lines += fmt::format("{}\n", reading.value);
        if (::write(file_, lines.data(), lines.size()) != static_cast<ssize_t>(lines.size()))
            throw cmr::SystemError("the probe cannot write");
    }

  private:
    int file_;
};

}  // namespace

int main(int count, char** words) {
    try {
        cmr::io::TomlNode tree;
        for (int i = 3; i < count; ++i) cmr::io::set_toml(tree, words[i]);
        cmr::live::SourceSettings settings;
        cmr::io::read_settings(tree, "", settings);
        cmr::live::SourceContext context;
        context.folder = words[1];
        SlowDisk disk(words[2]);
        const auto source = cmr::live::make_source(settings, context);
        source->start(disk);
        for (;;) ::pause();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
