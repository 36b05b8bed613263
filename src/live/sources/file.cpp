// Files that grow: logs and exports that another program appends to. Each file that matches the path is followed from
// its beginning; when it is renamed, the rest of it is read, too. How far each was read is kept in place.json, after
// the sink has the readings: killed between the two, the last piece is read again, and its readings are known as
// doubled.

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "data/files.h"
#include "io/json_fields.h"
#include "live/sources/followed_file.h"
#include "live/sources/make.h"
#include "live/worker.h"

namespace cmr::live {
namespace {

namespace fs = std::filesystem;

constexpr double kLookAgain_s = 0.1;
constexpr double kTryAgain_s = 1;  // where the sink or the disk would not
constexpr double kForget_s = 60;   // what has another name, or none, and did not grow for so long is not read any more

struct Places {
    std::vector<Place> files;
};

template <typename C, typename Visit>
requires std::same_as<std::remove_const_t<C>, Places>
void visit_fields(C& c, const Visit& visit) { visit("files", c.files, ""); }

// Tells a file whatever its name.
using FileNumber = std::pair<int64_t, int64_t>;

std::optional<FileNumber> number_of(const fs::path& path, int64_t* bytes = nullptr) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    if (bytes) *bytes = status.st_size;
    return FileNumber{static_cast<int64_t>(status.st_dev), static_cast<int64_t>(status.st_ino)};
}

FileNumber number_of(const Place& place) { return {place.device, place.number}; }

class FileSource final : public Source {
  public:
    FileSource(const SourceSettings& settings, const SourceContext& context)
        : settings_(settings),
          clock_(*context.clock),
          format_(chosen_format(settings, context, "csv", {"csv", "json", "line-protocol"})),
          place_file_(context.folder / "place.json"),
          status_(clock_) {
        refuse_unused(
            settings, context,
            {"path", "format", "channel_field", "value_field", "time_field", "arrival_time", "max_message", "table"});
        require(settings.path, "path", settings, context);
        make_text_format(format_, settings, settings.path);  // its settings are possible
        const fs::path path(settings.path);
        pattern_ = path.has_root_path() ? path.lexically_relative(path.root_path()).generic_string() : path.string();
        root_ = path.has_root_path() ? path.root_path() : fs::path(".");
        PathPattern{pattern_};
    }

    void start(Sink& sink) override {
        load_places();
        worker_.start("cmr-file", [this, &sink] { run(sink); });
    }
    void stop() override { worker_.stop(); }
    SourceStatus status() const override { return status_.get(); }

  private:
    struct Followed {
        std::unique_ptr<FollowedFile> file;
        bool in_sight = true;  // under a name that matches
        double news_s = 0;     // when it last grew
    };

    void load_places() {
        if (!fs::exists(place_file_)) return;
        const io::JsonReader reader(place_file_.string(), "place in a file", io::Missing::kIsAnError);
        Places places;
        reader.read(reader.parse(io::read_file(place_file_)), "", places);
        for (const Place& place : places.files) kept_[number_of(place)] = place;
    }

    // What is followed, and files that rest: those that grow again go on from there.
    void save_places() {
        Places places;
        for (const auto& [number, place] : kept_) places.files.push_back(place);
        io::write_file_atomically(place_file_, io::to_text(io::to_json(places)));
    }

    void run(Sink& sink) {
        for (;;) {
            bool fine = true;
            try {
                look();
                for (auto& [number, followed] : order()) read(*followed, sink);
                forget();
            } catch (const std::exception& error) {
                status_.set(false, error.what());
                fine = false;
            }
            if (worker_.wait(fine ? kLookAgain_s : kTryAgain_s)) return;
        }
    }

    // Files that were renamed while nobody looked at them (we were away, or they rested) are beside their former name.
    void follow_renamed(const std::set<FileNumber>& seen) {
        for (const auto& [number, place] : std::map(kept_)) {
            if (seen.contains(number) || followed_.contains(number)) continue;
            const fs::path folder = fs::path(place.path).parent_path();
            std::error_code error;
            const auto captures = PathPattern(pattern_).match(fs::path(place.path).lexically_relative(root_).string());
            for (const auto& entry : fs::directory_iterator(folder.empty() ? fs::path(".") : folder, error))
                if (number_of(entry.path()) == number)
                    follow(entry.path(), number, captures.value_or(Captures{}), /*in_sight=*/false);
            if (!followed_.contains(number)) kept_.erase(number);  // gone
        }
    }

    // What has come, what has another name now.
    void look() {
        const auto found = data::find_files(root_, pattern_);
        for (auto& [number, followed] : followed_) followed.in_sight = false;
        std::set<FileNumber> seen;
        for (const auto& file : found) {
            int64_t bytes = 0;
            const auto number = number_of(file.path, &bytes);
            if (!number) continue;
            seen.insert(*number);
            if (const auto known = followed_.find(*number); known != followed_.end()) {
                known->second.in_sight = true;
                known->second.file->set_path(file.path);
                continue;
            }
            const auto kept = kept_.find(*number);
            if (kept != kept_.end() && kept->second.bytes == bytes && kept->second.path == file.path)
                continue;  // rests
            follow(file.path, *number, file.captures, /*in_sight=*/true);
        }
        follow_renamed(seen);
        if (found.empty())
            status_.set(false, fmt::format("{}: no such file yet", settings_.path));
        else if (!status_.get().connected)
            status_.set(true, found.size() == 1 ? found[0].path.string() : fmt::format("{} files", found.size()));
    }

    void follow(const fs::path& path, const FileNumber& number, const Captures& captures, bool in_sight) {
        const auto asset = captures.find("asset");
        auto file = std::make_unique<FollowedFile>(
            path, make_text_format(format_, settings_, path.string(), asset == captures.end() ? "" : asset->second),
            settings_.max_message);
        const auto kept = kept_.find(number);
        if (kept != kept_.end() && !file->resume(kept->second)) kept_.erase(kept);
        const bool is_new = !kept_.contains(number);
        if (is_new) kept_[number] = file->place();
        followed_[number] = {std::move(file), in_sight, clock_.steady_s()};
        if (is_new) save_places();  // so that it is found by another name, even if we are killed before its first line
    }

    // First what has been renamed, as it is older, then by name.
    std::vector<std::pair<FileNumber, Followed*>> order() {
        std::vector<std::pair<FileNumber, Followed*>> out;
        for (auto& [number, followed] : followed_) out.emplace_back(number, &followed);
        std::ranges::sort(out, [](const auto& a, const auto& b) {
            if (a.second->in_sight != b.second->in_sight) return b.second->in_sight;
            return data::natural_less(a.second->file->place().path, b.second->file->place().path);
        });
        return out;
    }

    void read(Followed& followed, Sink& sink) {
        FollowedFile& file = *followed.file;
        while (const auto piece = file.next()) {
            Decoded decoded;
            if (piece->too_long)
                decoded.refuse(fmt::format("{}:{}: a line of more than {} bytes", file.place().path, piece->line,
                                           settings_.max_message));
            else
                file.format().decode(piece->text, piece->line, clock_.wall_s(), decoded);
            if (!decoded.readings.empty()) sink.take(decoded.readings);
            const int64_t before = file.place().bytes;
            file.taken();
            kept_[number_of(file.place())] = file.place();
            save_places();
            status_.count_bytes(static_cast<size_t>(file.place().bytes - before));
            status_.count(decoded);
            followed.news_s = clock_.steady_s();
            if (worker_.stopping()) return;
        }
    }

    // Neither all files of years nor those that are gone stay open. One that has another name is done with.
    void forget() {
        std::erase_if(followed_, [&](const auto& item) {
            const auto& [number, followed] = item;
            const bool forgotten = clock_.steady_s() - followed.news_s > kForget_s;
            if (forgotten && !followed.in_sight) kept_.erase(number);
            return forgotten;
        });
    }

    const SourceSettings settings_;
    const Clock& clock_;
    const std::string format_;
    const fs::path place_file_;
    fs::path root_;
    std::string pattern_;
    StatusBoard status_;
    std::map<FileNumber, Followed> followed_;
    std::map<FileNumber, Place> kept_;  // how far files were read, by what the place file says
    Worker worker_;                     // last: it uses all of the above
};

}  // namespace

std::unique_ptr<Source> make_file_source(const SourceSettings& settings, const SourceContext& context) {
    return std::make_unique<FileSource>(settings, context);
}

}  // namespace cmr::live
