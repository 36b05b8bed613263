#include "io/mat/parse.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/error.h"
#include "io/arrays/array_names.h"

namespace cmr::io::mat {
namespace {

constexpr size_t kLongestName = 256;          // MATLAB's own limit is 63
constexpr size_t kInflateLimit = 1ull << 31;  // of all variables of a file
constexpr size_t kMostAxes = 32;

struct Head {
    Class array_class{};
    bool complex = false;
    std::vector<int64_t> shape;
    std::string name;
};

const char* class_text(Class array_class) {
    switch (array_class) {
        case Class::kChar:
            return "text";
        case Class::kSparse:
            return "a sparse matrix";
        case Class::kObject:
            return "an object";
        case Class::kFunction:
            return "a function handle";
        case Class::kOpaque:
            return "an object of a class that only MATLAB can read";
        default:
            return "of a class that is not known";
    }
}

bool is_numeric(Class array_class) { return array_class >= Class::kDouble && array_class <= Class::kUint64; }

std::string read_name(Cursor& cursor) {
    const Element name = cursor.next(Storage::kInt8, "a name");
    if (name.bytes.size() > kLongestName)
        cursor.fail(fmt::format("a name of {} bytes, expected at most {}", name.bytes.size(), kLongestName));
    return printable(name.bytes);
}

Head read_head(Cursor& cursor) {
    Head head;
    const Element flags = cursor.next(Storage::kUint32, "the flags of an array");
    if (flags.bytes.size() != 8) cursor.fail(fmt::format("{} bytes of flags, expected 8", flags.bytes.size()));
    const uint32_t word = cursor.number(flags.bytes, 0);
    head.array_class = static_cast<Class>(word & 0xff);
    head.complex = (word & kComplexFlag) != 0;
    if (head.array_class != Class::kOpaque) {  // opaque arrays have no shape
        const Element shape = cursor.next(Storage::kInt32, "the shape of an array");
        const size_t axes = shape.bytes.size() / 4;
        if (shape.bytes.size() % 4 != 0 || axes < 2 || axes > kMostAxes)
            cursor.fail(
                fmt::format("a shape of {} bytes, expected 2 to {} numbers of 4", shape.bytes.size(), kMostAxes));
        for (size_t i = 0; i < axes; ++i) head.shape.push_back(static_cast<int32_t>(cursor.number(shape.bytes, i)));
    }
    head.name = read_name(cursor);
    return head;
}

// How many elements the array has, at most `most`; the cursor stands behind the shape.
size_t count_elements(const Cursor& cursor, const Head& head, size_t most) {
    size_t count = 1;
    const bool empty = std::ranges::count(head.shape, 0) > 0;
    for (const int64_t length : head.shape) {
        if (length < 0) cursor.fail(fmt::format("a shape with the length {}", length));
        if (!empty && __builtin_mul_overflow(count, static_cast<size_t>(length), &count)) count = most + 1;
        if (!empty && count > most)
            cursor.fail(fmt::format("an array of {} has more elements than the {} that its bytes can hold",
                                    shape_text(head.shape), most));
    }
    return empty ? 0 : count;
}

class Parser {
  public:
    Parser(const fs::path& path, Content& content) : path_(path.string()), budget_(path_), content_(content) {}

    void file() {
        const std::string_view bytes = content_.buffers.front();
        Cursor cursor(bytes, path_, content_.swapped);
        cursor.skip(kHeaderBytes);
        while (!cursor.at_end()) {
            const size_t begin = cursor.position();
            const Element element = cursor.next();
            if (element.storage == Storage::kCompressed)
                compressed_variable(element, fmt::format("{}, variable at byte {}", path_, begin));
            else if (element.storage == Storage::kMatrix)
                variable(cursor.within(element));
        }
    }

  private:
    void compressed_variable(const Element& packed, const std::string& source) {
        std::string inflated = inflate_element(packed.bytes, source, content_.swapped, kInflateLimit - inflated_bytes_);
        inflated_bytes_ += inflated.size();
        content_.buffers.push_back(std::move(inflated));
        buffer_ = content_.buffers.size() - 1;
        Cursor cursor(content_.buffers.back(), source, content_.swapped);
        const Element element = cursor.next();
        if (element.storage == Storage::kMatrix) variable(cursor.within(element));
        buffer_ = 0;
    }

    void variable(Cursor cursor) {
        const Head head = read_head(cursor);
        if (!head.name.empty()) array(cursor, head, head.name);  // MATLAB keeps its own data without a name
    }

    // A cell or a field: an array in an array, or nothing, which stands for an empty matrix.
    void nested(const Cursor& outer, const Element& element, const std::string& name) {
        if (element.storage != Storage::kMatrix)
            outer.fail(fmt::format("storage type {} for {}, expected {}", static_cast<uint32_t>(element.storage), name,
                                   static_cast<uint32_t>(Storage::kMatrix)));
        if (element.bytes.empty()) return;
        Cursor cursor = outer.within(element);
        const Head head = read_head(cursor);
        array(cursor, head, name);
    }

    void array(Cursor& cursor, const Head& head, const std::string& name) {
        budget_.enter(name);
        if (head.array_class == Class::kCell)
            cells(cursor, head, name);
        else if (head.array_class == Class::kStruct)
            structs(cursor, head, name);
        else
            leaf(cursor, head, name);
        budget_.leave();
    }

    void cells(Cursor& cursor, const Head& head, const std::string& name) {
        const size_t count = count_elements(cursor, head, cursor.left() / kTagBytes);
        for (size_t i = 0; i < count; ++i) {
            const Element element = cursor.next();
            const std::string cell = fmt::format("{}{{{}}}", name, i + 1);
            budget_.spend(cell);
            nested(cursor, element, cell);
        }
    }

    void structs(Cursor& cursor, const Head& head, const std::string& name) {
        const std::vector<std::string> fields = field_names(cursor);
        if (fields.empty()) return;
        const size_t count = count_elements(cursor, head, cursor.left() / kTagBytes / fields.size());
        std::vector<Element> values;
        for (size_t i = 0; i < count * fields.size(); ++i) values.push_back(cursor.next());
        std::vector<std::string> labels(count);
        if (const auto found = std::ranges::find(fields, "Name"); found != fields.end() && count > 1)
            for (size_t i = 0; i < count; ++i)
                labels[i] = read_label(cursor, values[i * fields.size() + (found - fields.begin())]);
        size_t next = 0;
        for (const std::string& element : element_names(name, labels))
            for (const std::string& field : fields) {
                const std::string member = fmt::format("{}.{}", element, field);
                budget_.spend(member);
                nested(cursor, values[next++], member);
            }
    }

    std::vector<std::string> field_names(Cursor& cursor) const {
        const Element width_element = cursor.next(Storage::kInt32, "the length of field names");
        const size_t width = width_element.bytes.size() == 4 ? cursor.number(width_element.bytes, 0) : 0;
        if (width < 1 || width > kLongestName)
            cursor.fail(fmt::format("field names of {} bytes, expected 1 to {}", width, kLongestName));
        const Element names = cursor.next(Storage::kInt8, "field names");
        if (names.bytes.size() % width != 0)
            cursor.fail(fmt::format("{} bytes of field names, expected a multiple of {}", names.bytes.size(), width));
        std::vector<std::string> fields;
        for (size_t i = 0; i < names.bytes.size(); i += width) {
            const std::string_view padded = names.bytes.substr(i, width);
            fields.push_back(printable(padded.substr(0, padded.find('\0'))));
        }
        return fields;
    }

    // Empty where it is not a line of text.
    std::string read_label(const Cursor& outer, const Element& element) const {
        if (element.storage != Storage::kMatrix || element.bytes.empty()) return "";
        Cursor cursor = outer.within(element);
        const Head head = read_head(cursor);
        if (head.array_class != Class::kChar || head.shape.size() != 2 || head.shape[0] != 1) return "";
        const Element text = cursor.next();
        if (text.storage == Storage::kUtf8) return label(text.bytes);
        std::vector<uint16_t> units;
        if (text.storage == Storage::kUtf16 || text.storage == Storage::kUint16)
            for (size_t i = 0; i + 1 < text.bytes.size(); i += 2) {
                uint16_t unit;
                std::memcpy(&unit, text.bytes.data() + i, sizeof unit);
                units.push_back(cursor.swapped() ? __builtin_bswap16(unit) : unit);
            }
        else if (text.storage == Storage::kUint8 || text.storage == Storage::kInt8)  // the first 256 letters
            for (const char letter : text.bytes) units.push_back(static_cast<unsigned char>(letter));
        return label(units);
    }

    void leaf(Cursor& cursor, const Head& head, const std::string& name) {
        Array array;
        array.info = {name, head.shape, ""};
        array.buffer = buffer_;
        if (!is_numeric(head.array_class))
            array.info.obstacle = class_text(head.array_class);
        else if (head.complex)
            array.info.obstacle = "complex";
        else
            read_numbers(cursor, head, array);
        budget_.spend(name);
        content_.arrays.push_back(std::move(array));
    }

    static void read_numbers(Cursor& cursor, const Head& head, Array& array) {
        const Element numbers = cursor.next();
        const size_t size = number_size(numbers.storage);
        if (size == 0)
            cursor.fail(fmt::format("storage type {} for the numbers of {}", static_cast<uint32_t>(numbers.storage),
                                    array.info.name));
        const size_t held = numbers.bytes.size() / size;
        if (const size_t count = count_elements(cursor, head, held); count != held)
            cursor.fail(
                fmt::format("{} is {}, but {} numbers are stored", array.info.name, shape_text(head.shape), held));
        array.storage = numbers.storage;
        array.bytes = numbers.bytes;
    }

    std::string path_;
    NameBudget budget_;
    Content& content_;
    size_t buffer_ = 0;  // that is being parsed
    size_t inflated_bytes_ = 0;
};

// Does the header say that bytes are to be swapped?
bool read_byte_order(const fs::path& path, std::string_view file) {
    if (file.size() < kHeaderBytes)
        throw InputError("{}: {} bytes, expected at least the {} of a MATLAB header", path.string(), file.size(),
                         kHeaderBytes);
    const std::string_view mark = file.substr(kHeaderBytes - 2, 2);  // "MI" in the order of who wrote it
    if (mark != "IM" && mark != "MI")
        throw InputError("{}, byte {}: no mark of the byte order; not a MATLAB file of version 5, or damaged",
                         path.string(), kHeaderBytes - 2);
    const bool little = mark == "IM";
    const int version = file[kHeaderBytes - (little ? 3 : 4)];
    if (version != 1)
        throw InputError("{}, byte {}: version {} of the MATLAB format, expected 1", path.string(), kHeaderBytes - 4,
                         version);
    return little != (std::endian::native == std::endian::little);
}

}  // namespace

Content parse(const fs::path& path, std::string file) {
    Content content;
    content.swapped = read_byte_order(path, file);
    content.buffers.push_back(std::move(file));
    Parser(path, content).file();
    return content;
}

}  // namespace cmr::io::mat
