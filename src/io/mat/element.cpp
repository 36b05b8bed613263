#include "io/mat/element.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/error.h"

namespace cmr::io::mat {

void Cursor::fail(const std::string& what) const {
    throw InputError("{}, byte {}: {}", *source_, base_ + element_begin_, what);
}

uint32_t Cursor::number(std::string_view bytes, size_t index) const {
    uint32_t value;
    std::memcpy(&value, bytes.data() + 4 * index, sizeof value);
    return swapped_ ? __builtin_bswap32(value) : value;
}

Element Cursor::next() {
    element_begin_ = position_;
    const std::string_view rest = whole_.substr(position_);
    if (rest.size() < kTagBytes)
        fail(fmt::format("{} bytes are left, expected a data element; the file is damaged or cut off", rest.size()));
    const uint32_t first = number(rest, 0);
    if (const uint32_t small = first >> 16; small != 0) {
        if (small > 4) fail(fmt::format("a small data element of {} bytes, expected at most 4", small));
        position_ += kTagBytes;
        return {static_cast<Storage>(first & 0xffff), rest.substr(4, small)};
    }
    const Storage storage = static_cast<Storage>(first);
    const size_t length = number(rest, 1);
    if (length > rest.size() - kTagBytes)
        fail(fmt::format("a data element of {} bytes where {} are left; the file is damaged or cut off", length,
                         rest.size() - kTagBytes));
    // Elements begin at multiples of 8, but compressed ones follow each other without a gap.
    const size_t padded = storage == Storage::kCompressed ? length : (length + 7) / 8 * 8;
    position_ += std::min(kTagBytes + padded, rest.size());
    return {storage, rest.substr(kTagBytes, length)};
}

Element Cursor::next(Storage storage, const char* what) {
    const Element element = next();
    if (element.storage != storage)
        fail(fmt::format("storage type {} for {}, expected {}", static_cast<uint32_t>(element.storage), what,
                         static_cast<uint32_t>(storage)));
    return element;
}

Cursor Cursor::within(const Element& element) const {
    Cursor inner(element.bytes, *source_, swapped_);
    inner.base_ = base_ + static_cast<size_t>(element.bytes.data() - whole_.data());
    return inner;
}

std::string inflate_element(std::string_view packed, const std::string& source, bool swapped, size_t limit) {
    z_stream stream{};
    if (inflateInit(&stream) != Z_OK) throw std::bad_alloc();
    const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, inflateEnd);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());  // fits: the tag's length has 32 bits

    std::string content;
    // Appends up to `wanted` bytes in all and says whether the stream goes on.
    const auto inflate_to = [&](size_t wanted) {
        const size_t had = content.size();
        content.reserve(wanted + 1);  // the last step takes one more
        content.resize(wanted);
        stream.next_out = reinterpret_cast<Bytef*>(content.data() + had);
        stream.avail_out = static_cast<uInt>(wanted - had);
        const int result = inflate(&stream, Z_NO_FLUSH);
        content.resize(wanted - stream.avail_out);
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
            throw InputError("{}: its compressed bytes are damaged ({})", source,
                             stream.msg ? stream.msg : "zlib refuses them");
        return result == Z_OK && stream.avail_out == 0;
    };
    inflate_to(kTagBytes);
    if (content.size() < kTagBytes) throw InputError("{}: its compressed bytes end within the first tag", source);
    const size_t wanted = kTagBytes + Cursor(content, source, swapped).number(content, 1);
    if (wanted > limit)
        throw InputError(
            "{}: declares {} bytes, and a file may inflate to {} more; store it with -v7.3, which is read in pieces",
            source, wanted, limit);
    const size_t first_guess = std::max<size_t>(4 * packed.size(), 1 << 16);  // signals shrink to a half or a third
    size_t room = std::min(wanted, first_guess);
    while (inflate_to(room) && room < wanted) room = std::min(wanted, 2 * room);
    if (content.size() < wanted)
        throw InputError("{}: declares {} bytes, its compressed bytes hold {}", source, wanted, content.size());
    inflate_to(wanted + 1);  // past the end, so that the checksum is compared
    content.resize(wanted);
    return content;
}

size_t number_size(Storage storage) {
    switch (storage) {
        case Storage::kInt8:
        case Storage::kUint8:
            return 1;
        case Storage::kInt16:
        case Storage::kUint16:
            return 2;
        case Storage::kInt32:
        case Storage::kUint32:
        case Storage::kSingle:
            return 4;
        case Storage::kDouble:
        case Storage::kInt64:
        case Storage::kUint64:
            return 8;
        default:
            return 0;
    }
}

}  // namespace cmr::io::mat
