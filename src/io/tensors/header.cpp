#include "io/tensors/header.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.h"

namespace cmr::io {
namespace {

using nlohmann::json;
using Entry = SafetensorsHeader::Entry;

constexpr const char* kMetadata = "__metadata__";
constexpr size_t kMaxDimensions = 16;

struct DtypeName {
    Dtype dtype;
    const char* name;
    uint64_t bytes;
};
constexpr DtypeName kDtypes[] = {{Dtype::f32, "F32", 4}, {Dtype::f16, "F16", 2}, {Dtype::u8, "U8", 1}};

const DtypeName& named(Dtype dtype) { return *std::ranges::find(kDtypes, dtype, &DtypeName::dtype); }

// Takes the header as events, straight into entries. A tree of JSON values would cost many times the header, and would
// neither notice a key that stands twice nor stop at the first bracket that does not belong.
class HeaderEvents final : public nlohmann::json_sax<json> {
  public:
    HeaderEvents(const std::string& source, SafetensorsHeader& header) : source_(source), header_(header) {}

    bool start_object(std::size_t) override {
        if (place_ == Place::outside) {
            place_ = Place::header;
        } else if (place_ == Place::header) {
            place_ = name_ == kMetadata ? Place::metadata : Place::tensor;
            entry_ = Entry();
            entry_.name = name_;
        } else {
            refuse_value("an object");
        }
        keys_.emplace_back();
        return true;
    }
    bool key(string_t& text) override {
        if (!keys_.back().insert(text).second) fail("{} stands twice", in_quotes(text));
        (place_ == Place::header ? name_ : field_) = text;
        if (place_ == Place::tensor && field_ != "dtype" && field_ != "shape" && field_ != "data_offsets")
            fail("tensor {} has an unknown field {}", in_quotes(name_), in_quotes(field_));
        return true;
    }
    bool end_object() override {
        if (place_ == Place::tensor) finish_tensor();
        keys_.pop_back();
        place_ = keys_.empty() ? Place::outside : Place::header;
        return true;
    }

    bool start_array(std::size_t) override {
        if (place_ != Place::tensor || field_ == "dtype") refuse_value("an array");
        place_ = field_ == "shape" ? Place::shape : Place::offsets;
        return true;
    }
    bool end_array() override {
        if (place_ == Place::offsets) {
            if (offsets_.size() != 2)
                fail("tensor {}: data_offsets holds {} numbers, expected 2", in_quotes(name_), offsets_.size());
            std::tie(entry_.begin, entry_.end) = std::pair(offsets_[0], offsets_[1]);
            offsets_.clear();
        }
        place_ = Place::tensor;
        return true;
    }

    bool string(string_t& text) override {
        if (place_ == Place::metadata) {
            header_.metadata[field_] = text;
        } else if (place_ == Place::tensor && field_ == "dtype") {
            const auto found = std::ranges::find(kDtypes, text, &DtypeName::name);
            if (found == std::end(kDtypes))
                fail("tensor {} has dtype {}, expected \"F32\", \"F16\" or \"U8\"", in_quotes(name_), in_quotes(text));
            entry_.dtype = found->dtype;
        } else {
            refuse_value("a string");
        }
        return true;
    }
    bool number_unsigned(number_unsigned_t number) override {
        if (place_ == Place::shape) {
            if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) refuse_value("too large a number");
            if (entry_.shape.size() == kMaxDimensions)
                fail("tensor {} has more than {} dimensions", in_quotes(name_), kMaxDimensions);
            entry_.shape.push_back(static_cast<int64_t>(number));
        } else if (place_ == Place::offsets && offsets_.size() < 3) {
            offsets_.push_back(number);
        } else if (place_ != Place::offsets) {
            refuse_value("a number");
        }
        return true;
    }
    bool number_integer(number_integer_t) override { return refuse_value("a negative number"); }
    bool number_float(number_float_t, const string_t&) override {
        return refuse_value("a fraction or too large a number");
    }
    bool null() override { return refuse_value("null"); }
    bool boolean(bool) override { return refuse_value("true or false"); }
    bool binary(binary_t&) override { return refuse_value("binary data"); }

    bool parse_error(std::size_t position, const std::string&, const json::exception&) override {
        fail("not valid JSON near its byte {}", position);
    }

  private:
    enum class Place { outside, header, metadata, tensor, shape, offsets };

    template <typename... Arguments>
    [[noreturn]] void fail(fmt::format_string<Arguments...> text, Arguments&&... arguments) const {
        throw InputError("{}: header: {}", source_, fmt::format(text, std::forward<Arguments>(arguments)...));
    }
    [[noreturn]] bool refuse_value(const char* found) const {
        switch (place_) {
            case Place::outside:
                fail("is {}, expected an object", found);
            case Place::header:
                fail("{} is {}, expected an object", in_quotes(name_), found);
            case Place::metadata:
                fail("metadata {} is {}, expected a string", in_quotes(field_), found);
            default:
                fail("tensor {}: {} holds {} where it does not belong", in_quotes(name_), field_, found);
        }
    }
    void finish_tensor() {
        for (const char* field : {"dtype", "shape", "data_offsets"})
            if (!keys_.back().contains(field)) fail("tensor {} has no {}", in_quotes(name_), field);
        header_.entries.push_back(std::move(entry_));
    }

    const std::string& source_;
    SafetensorsHeader& header_;
    Place place_ = Place::outside;
    std::vector<std::set<std::string, std::less<>>> keys_;  // of every object that is open
    std::string name_, field_;
    std::vector<uint64_t> offsets_;
    Entry entry_;
};

// Nothing when the size does not fit 64 bits.
std::optional<uint64_t> data_bytes_of(const Entry& entry) {
    uint64_t bytes = bytes_of(entry.dtype);
    for (const int64_t extent : entry.shape)
        if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(extent), &bytes)) return std::nullopt;
    return bytes;
}

void check_layout(const std::string& source, const std::vector<Entry>& entries, uint64_t data_bytes) {
    uint64_t covered = 0;
    for (const Entry& entry : entries) {
        const auto fail = [&](const std::string& fault) {
            throw InputError("{}: tensor {}: {}", source, in_quotes(entry.name), fault);
        };
        if (entry.begin > entry.end || entry.end > data_bytes)
            fail(fmt::format("data_offsets [{}, {}] do not lie in the {} bytes of data", entry.begin, entry.end,
                             data_bytes));
        if (entry.begin != covered)
            fail(fmt::format("its data begin at byte {}, but the tensor before ends at {}", entry.begin, covered));
        const std::optional<uint64_t> wanted = data_bytes_of(entry);
        if (!wanted) fail(fmt::format("shape [{}] is too large", fmt::join(entry.shape, ", ")));
        if (entry.end - entry.begin != *wanted)
            fail(fmt::format("{} bytes of data, but shape [{}] needs {}", entry.end - entry.begin,
                             fmt::join(entry.shape, ", "), *wanted));
        covered = entry.end;
    }
    if (covered != data_bytes)
        throw InputError("{}: {} bytes of data, but the tensors account for {}", source, data_bytes, covered);
}

}  // namespace

uint64_t bytes_of(Dtype dtype) { return named(dtype).bytes; }

SafetensorsHeader parse_safetensors_header(const std::string& source, std::string_view text, uint64_t data_bytes) {
    if (!text.starts_with('{')) throw InputError("{}: header: does not begin with '{{'", source);
    // The JSON library takes a zero byte for the end of the text, whatever stands behind it.
    if (text.find('\0') != text.npos) throw InputError("{}: header: not valid JSON, it holds a zero byte", source);
    SafetensorsHeader header;
    HeaderEvents events(source, header);
    json::sax_parse(text, &events);
    std::ranges::stable_sort(header.entries, {}, [](const Entry& entry) { return std::pair(entry.begin, entry.end); });
    check_layout(source, header.entries, data_bytes);
    return header;
}

std::string format_safetensors_header(const std::string& source, const SafetensorsHeader& header) {
    nlohmann::ordered_json fields = nlohmann::ordered_json::object();
    if (!header.metadata.empty()) fields[kMetadata] = header.metadata;
    for (const Entry& entry : header.entries) {
        CMR_ASSERT(!fields.contains(entry.name) && entry.name != kMetadata, "tensor names are unique and not reserved");
        fields[entry.name] = {
            {"dtype", named(entry.dtype).name}, {"shape", entry.shape}, {"data_offsets", {entry.begin, entry.end}}};
    }
    std::string text;
    try {
        text = fields.dump();
    } catch (const json::type_error&) {
        throw InputError("{}: cannot write: a name or a text of its metadata is not valid UTF-8", source);
    }
    text.resize((text.size() + 7) / 8 * 8, ' ');
    if (text.size() > kMaxHeaderBytes)
        throw InputError("{}: cannot write: {} bytes of header, the format allows {}", source, text.size(),
                         kMaxHeaderBytes);
    return text;
}

std::string in_quotes(std::string_view name) {
    constexpr size_t kLongest = 80;
    const std::string shown(name.substr(0, kLongest));
    return json(shown).dump(-1, ' ', /*ensure_ascii=*/true, json::error_handler_t::replace) +
           (name.size() > kLongest ? "…" : "");
}

}  // namespace cmr::io
