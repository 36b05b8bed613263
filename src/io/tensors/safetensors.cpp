#include "io/tensors/safetensors.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/rng.h"
#include "base/suggest.h"
#include "io/file.h"
#include "io/tensors/header.h"

namespace cmr::io {
namespace {

static_assert(std::endian::native == std::endian::little, "the data are copied as they stand in memory");

using LengthField = std::array<std::byte, 8>;

// A NaN would only show as a wrong number much later; here it still has a name.
void refuse_nan(const std::string& source, const NamedTensor& tensor) {
    const auto found = std::ranges::find_if(tensor.values, [](float value) { return std::isnan(value); });
    if (found == tensor.values.end()) return;
    throw InputError("{}: tensor {} holds NaN at position {}", source, in_quotes(tensor.name),
                     found - tensor.values.begin());
}

constexpr const char* kDigest = "digest";

// 16 hexadecimal digits of the metadata, names, shapes and values: damage that leaves a file readable shows.
std::string digest_of(const Safetensors& content) {
    uint64_t digest = 0;
    const auto add = [&](uint64_t value) { digest = (digest + value + 1) * 0x9e3779b97f4a7c15u; };
    const auto add_text = [&](const std::string& text) {
        for (const char letter : text) add(static_cast<unsigned char>(letter));
        digest = Rng::mix(digest + text.size());
    };
    for (const auto& [key, text] : content.metadata) {
        if (key == kDigest) continue;
        add_text(key);
        add_text(text);
    }
    for (const NamedTensor& tensor : content.tensors) {
        add_text(tensor.name);
        for (const int64_t extent : tensor.shape) add(static_cast<uint64_t>(extent));
        for (const float value : tensor.values) add(std::bit_cast<uint32_t>(value));
        digest = Rng::mix(digest);
    }
    return fmt::format("{:016x}", digest);
}

// Of T, as they stand in the file.
template <typename T>
std::vector<T> packed(const NamedTensor& tensor) {
    std::vector<T> out(tensor.values.size());
    for (size_t i = 0; i < out.size(); ++i) {
        out[i] = static_cast<T>(tensor.values[i]);
        CMR_ASSERT(static_cast<float>(out[i]) == tensor.values[i], "numbers that the tensor's type can hold");
    }
    return out;
}

void write_values(const NamedTensor& tensor, const Sink& sink) {
    switch (tensor.dtype) {
        case Dtype::f32:
            return sink(std::as_bytes(std::span(tensor.values)));
        case Dtype::f16:
            return sink(std::as_bytes(std::span<const Eigen::half>(packed<Eigen::half>(tensor))));
        case Dtype::u8:
            return sink(std::as_bytes(std::span<const uint8_t>(packed<uint8_t>(tensor))));
    }
}

template <typename T>
std::vector<float> read_values(const std::string& source, InputFile& file, const SafetensorsHeader::Entry& entry) {
    std::vector<T> values((entry.end - entry.begin) / sizeof(T));
    const auto bytes = std::as_writable_bytes(std::span(values));
    if (file.read(bytes) < bytes.size())
        throw InputError("{}: ended while tensor {} was read", source, in_quotes(entry.name));
    if constexpr (std::is_same_v<T, float>) return values;
    return {values.begin(), values.end()};
}

std::vector<float> read_values(const std::string& source, InputFile& file, const SafetensorsHeader::Entry& entry) {
    switch (entry.dtype) {
        case Dtype::f16:
            return read_values<Eigen::half>(source, file, entry);
        case Dtype::u8:
            return read_values<uint8_t>(source, file, entry);
        default:
            return read_values<float>(source, file, entry);
    }
}

std::string read_header(const std::string& source, InputFile& file) {
    LengthField field;
    if (file.size() < field.size() || file.read(field) < field.size())
        throw InputError("{}: {} bytes, too short for a safetensors file", source, file.size());
    const auto length = std::bit_cast<uint64_t>(field);
    if (length > file.size() - field.size())
        throw InputError("{}: not a safetensors file, or cut short: its header would be {} bytes long, the file is {}",
                         source, length, file.size());
    if (length > kMaxHeaderBytes)
        throw InputError("{}: its header would be {} bytes long, the format allows {}", source, length,
                         kMaxHeaderBytes);
    std::string text(length, '\0');
    if (file.read(std::as_writable_bytes(std::span(text))) < length)
        throw InputError("{}: ended while its header was read", source);
    return text;
}

}  // namespace

const NamedTensor& Safetensors::at(const std::string& name, std::span<const int64_t> shape) const {
    const auto found = std::ranges::find(tensors, name, &NamedTensor::name);
    if (found == tensors.end()) {
        std::vector<std::string> names;
        for (const NamedTensor& tensor : tensors) names.push_back(tensor.name);
        const auto hint = suggest(name, names);
        throw InputError("{}: no tensor {}{}", source, in_quotes(name),
                         hint ? "; the nearest is " + in_quotes(*hint) : "");
    }
    if (!std::ranges::equal(found->shape, shape))
        throw InputError("{}: tensor {} has shape [{}], expected [{}]", source, in_quotes(name),
                         fmt::join(found->shape, ", "), fmt::join(shape, ", "));
    return *found;
}

void write_safetensors(const fs::path& path, const Safetensors& content) {
    SafetensorsHeader header{.metadata = content.metadata, .entries = {}};
    header.metadata[kDigest] = digest_of(content);
    uint64_t end = 0;
    for (const NamedTensor& tensor : content.tensors) {
        uint64_t elements = 1;
        for (const int64_t extent : tensor.shape) elements *= static_cast<uint64_t>(extent);
        CMR_ASSERT(elements == tensor.values.size(), "a tensor holds as many values as its shape says");
        refuse_nan(path.string(), tensor);
        const uint64_t begin = std::exchange(end, end + elements * bytes_of(tensor.dtype));
        header.entries.push_back(
            {.name = tensor.name, .shape = tensor.shape, .dtype = tensor.dtype, .begin = begin, .end = end});
    }
    const std::string text = format_safetensors_header(path.string(), header);
    write_file_atomically(path, [&](const Sink& sink) {
        sink(std::bit_cast<LengthField>(uint64_t{text.size()}));
        sink(std::as_bytes(std::span(text)));
        for (const NamedTensor& tensor : content.tensors) write_values(tensor, sink);
    });
}

Safetensors read_safetensors(const fs::path& path) {
    const std::string source = path.string();
    InputFile file(path);
    const std::string text = read_header(source, file);
    SafetensorsHeader header = parse_safetensors_header(source, text, file.size() - sizeof(LengthField) - text.size());
    Safetensors content{.source = source, .metadata = std::move(header.metadata), .tensors = {}};
    for (auto& entry : header.entries) {
        // The layout was checked against the file's size, so there are no more numbers than the file has bytes.
        std::vector<float> values = read_values(source, file, entry);
        content.tensors.push_back({std::move(entry.name), std::move(entry.shape), std::move(values), entry.dtype});
        refuse_nan(source, content.tensors.back());
    }
    const auto digest = content.metadata.find(kDigest);
    if (digest == content.metadata.end()) return content;
    if (digest->second != digest_of(content))
        throw InputError("{}: damaged: what it holds is not what was written", source);
    content.metadata.erase(digest);
    content.digest = true;
    return content;
}

}  // namespace cmr::io
