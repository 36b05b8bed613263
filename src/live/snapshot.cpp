#include "live/snapshot.h"

#include "base/error.h"
#include "io/file.h"
#include "monitor/state_bytes.h"

namespace cmr::live {
namespace {

constexpr std::string_view kMagic = "cmr snapshot 1\n";

template <typename... Parts>
std::string as_bytes(const Parts&... parts) {
    monitor::StateWriter bytes;
    bytes(parts...);
    return std::move(bytes).take();
}

}  // namespace

void write_snapshot(const std::filesystem::path& file, const Snapshot& snapshot) {
    io::write_file_atomically(file, [&](const io::Sink& sink) {
        const auto put = [&](const std::string& text) { sink(std::as_bytes(std::span(text))); };
        put(as_bytes(std::string(kMagic), snapshot.group, static_cast<uint64_t>(snapshot.assets.size())));
        for (const auto& [name, state] : snapshot.assets) put(as_bytes(name, state));
    });
}

std::optional<Snapshot> read_snapshot(const std::filesystem::path& file) {
    if (!std::filesystem::exists(file)) return std::nullopt;
    const std::string text = io::read_file(file);
    try {
        monitor::StateReader bytes(text);
        std::string magic;
        bytes(magic);
        if (magic != kMagic) throw InputError("it is of another version of the program");
        Snapshot out;
        uint64_t count = 0;
        bytes(out.group, count);
        for (uint64_t i = 0; i < count; ++i) {
            auto& [name, state] = out.assets.emplace_back();
            bytes(name, state);
        }
        if (!bytes.at_end()) throw InputError("there is more than it should have");
        return out;
    } catch (const InputError& error) {
        throw InputError("{}: {}; move it away to begin anew", file.string(), error.what());
    }
}

}  // namespace cmr::live
