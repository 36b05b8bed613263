#include "live/journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <unordered_map>

#include "base/digest.h"
#include "base/error.h"

namespace cmr::live {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kSegment = 16 << 20;  // bytes; then the next one begins
constexpr uint32_t kLargestGroup = 1u << 30;
enum Item : uint8_t { kName = 'n', kRow = 'r' };

template <typename T>
void put(std::string& to, T value) {
    to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// False where the bytes end.
template <typename T>
bool get(std::string_view& from, T& value) {
    if (from.size() < sizeof value) return false;
    std::memcpy(&value, from.data(), sizeof value);
    from.remove_prefix(sizeof value);
    return true;
}

uint64_t checksum(std::string_view bytes) { return digest(1, bytes); }

// The first group of each segment.
std::map<uint64_t, fs::path> segments(const fs::path& folder) {
    std::map<uint64_t, fs::path> out;
    if (!fs::is_directory(folder)) return out;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (name.size() == 20 && name.find_first_not_of("0123456789") == std::string::npos)
            out[std::stoull(name)] = entry.path();
    }
    return out;
}

// Where samples go whose names stand in a segment.
class Decoder {
  public:
    explicit Decoder(const Names& names) : names_(names) {
        for (size_t a = 0; a < names.assets.size(); ++a) {
            assets_[names.assets[a]] = static_cast<int32_t>(a);
            auto& channels = channels_.emplace_back();
            for (size_t c = 0; c < names.channels[a].size(); ++c)
                channels[names.channels[a][c]] = static_cast<int32_t>(c);
        }
    }
    void begin_segment() { texts_.clear(); }

    bool decode(std::string_view bytes, std::vector<Sample>& out) {
        while (!bytes.empty()) {
            uint8_t item = 0;
            uint32_t id = 0, count = 0;
            if (!get(bytes, item) || !get(bytes, id)) return false;
            if (item == kName) {
                if (!get(bytes, count) || bytes.size() < count || id != texts_.size()) return false;
                texts_.emplace_back(bytes.substr(0, count));
                bytes.remove_prefix(count);
                continue;
            }
            double time_s = 0;
            if (item != kRow || id >= texts_.size() || !get(bytes, time_s) || !get(bytes, count)) return false;
            const auto asset = assets_.find(texts_[id]);
            for (uint32_t i = 0; i < count; ++i) {
                uint32_t channel = 0;
                float value = 0;
                if (!get(bytes, channel) || !get(bytes, value) || channel >= texts_.size()) return false;
                if (asset == assets_.end()) continue;
                const auto& channels = channels_[asset->second];
                if (const auto at = channels.find(texts_[channel]); at != channels.end())
                    out.push_back({asset->second, at->second, time_s, value});
            }
        }
        return true;
    }

  private:
    const Names& names_;
    std::unordered_map<std::string, int32_t> assets_;
    std::vector<std::unordered_map<std::string, int32_t>> channels_;
    std::vector<std::string> texts_;  // of the segment
};

}  // namespace

Replayed replay(const fs::path& folder, uint64_t after, const Names& names,
                const std::function<void(std::span<const Sample>)>& take) {
    Replayed out;
    out.last_group = after;
    Decoder decoder(names);
    const auto files = segments(folder);
    for (const auto& [first, path] : files) {
        const std::string text = io::read_file(path);
        std::string_view bytes = text;
        decoder.begin_segment();
        while (!bytes.empty()) {
            const std::string_view before = bytes;
            uint32_t size = 0;
            uint64_t sum = 0, group = 0;
            std::vector<Sample> samples;
            const bool whole = get(bytes, size) && get(bytes, sum) && size <= bytes.size() && size >= sizeof group &&
                               checksum(bytes.substr(0, size)) == sum;
            std::string_view body = whole ? bytes.substr(0, size) : std::string_view();
            if (!whole || !get(body, group) || !decoder.decode(body, samples)) {
                // The last words before a crash are nothing special; anything else is.
                if (path != files.rbegin()->second)
                    out.damage = fmt::format("{}: damaged after {} bytes; the rest of it is left out", path.string(),
                                             text.size() - before.size());
                break;
            }
            bytes.remove_prefix(size);
            out.last_group = std::max(out.last_group, group);
            if (group <= after) continue;
            ++out.groups;
            out.samples += std::ssize(samples);
            take(samples);
        }
    }
    return out;
}

Journal::Journal(fs::path folder, uint64_t last_group, Names names)
    : folder_(std::move(folder)), group_(last_group), names_(std::move(names)) {
    fs::create_directories(folder_);
}

void Journal::begin_segment() {
    path_ = folder_ / fmt::format("{:020}", group_ + 1);
    const int number = open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (number < 0) fail_with(errno, path_.string());
    file_ = std::make_unique<io::Descriptor>(number);
    size_ = 0;
    ids_.clear();
    const io::Descriptor folder(open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fsync(folder.number()) != 0) throw SystemError("{}: {}", folder_.string(), std::strerror(errno));
}

uint32_t Journal::id_of(const std::string& name, std::string& to) {
    const auto [at, is_new] = ids_.try_emplace(name, static_cast<uint32_t>(ids_.size()));
    if (is_new) {
        put(to, kName);
        put(to, at->second);
        put(to, static_cast<uint32_t>(name.size()));
        to += name;
    }
    return at->second;
}

std::string Journal::encode(std::span<const Sample> samples) {
    std::string out, row;
    put(out, uint32_t{0});
    put(out, uint64_t{0});
    put(out, group_ + 1);
    for (size_t begin = 0; begin < samples.size();) {
        size_t end = begin;
        row.clear();
        while (end < samples.size() && samples[end].asset == samples[begin].asset &&
               samples[end].time_s == samples[begin].time_s) {
            put(row, id_of(names_.channels[samples[end].asset][samples[end].channel], out));
            put(row, samples[end].value);
            ++end;
        }
        const uint32_t asset = id_of(names_.assets[samples[begin].asset], out);
        put(out, kRow);
        put(out, asset);
        put(out, samples[begin].time_s);
        put(out, static_cast<uint32_t>(end - begin));
        out += row;
        begin = end;
    }
    const size_t head = sizeof(uint32_t) + sizeof(uint64_t);
    const auto size = static_cast<uint32_t>(out.size() - head);
    CMR_ASSERT(out.size() < kLargestGroup, "the intake hands over small groups");
    const uint64_t sum = checksum(std::string_view(out).substr(head));
    std::memcpy(out.data(), &size, sizeof size);
    std::memcpy(out.data() + sizeof size, &sum, sizeof sum);
    return out;
}

uint64_t Journal::append(std::span<const Sample> samples) {
    const std::lock_guard lock(mutex_);
    if (!file_ || size_ > kSegment) begin_segment();
    const std::string bytes = encode(samples);
    int error = 0;
    for (size_t written = 0; written < bytes.size() && !error;) {
        const ssize_t step = write(file_->number(), bytes.data() + written, bytes.size() - written);
        if (step < 0 && errno != EINTR) error = errno;
        if (step > 0) written += static_cast<size_t>(step);
    }
    if (!error && fdatasync(file_->number()) != 0) error = errno;
    if (error) {
        // As if nothing had been; the next group begins a new segment.
        static_cast<void>(ftruncate(file_->number(), size_) == 0);
        file_.reset();
        throw SystemError("{}: {}", path_.string(), std::strerror(error));
    }
    size_ += std::ssize(bytes);
    return ++group_;
}

void Journal::rename(Names names) {
    const std::lock_guard lock(mutex_);
    names_ = std::move(names);
}

void Journal::forget(uint64_t group) {
    const std::lock_guard lock(mutex_);
    const auto all = segments(folder_);
    for (auto at = all.begin(); at != all.end(); ++at) {
        const auto next = std::next(at);
        const uint64_t last = next == all.end() ? group_ : next->first - 1;
        if (last > group || (file_ && at->second == path_)) continue;
        std::error_code none;
        fs::remove(at->second, none);
    }
}

int64_t Journal::bytes() const {
    const std::lock_guard lock(mutex_);
    int64_t sum = 0;
    for (const auto& [first, path] : segments(folder_)) {
        std::error_code none;
        const auto size = fs::file_size(path, none);
        if (!none) sum += static_cast<int64_t>(size);
    }
    return sum;
}

}  // namespace cmr::live
