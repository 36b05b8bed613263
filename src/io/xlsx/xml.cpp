#include "io/xlsx/xml.h"

#include <expat.h>

#include "base/error.h"

namespace cmr::io {
namespace {

constexpr int kPieceBytes = 1 << 16;
constexpr size_t kMostQuietBytes = size_t{8} << 20;
constexpr int kDeepest = 64;

}  // namespace

std::string_view without_prefix(std::string_view name) {
    const size_t colon = name.rfind(':');
    return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

std::string_view XmlAttributes::get(std::string_view local_name) const {
    for (const char** pair = pairs_; *pair; pair += 2)
        if (without_prefix(pair[0]) == local_name) return pair[1];
    return {};
}

// No exception may pass through expat, which is C: it waits in failure_ until expat has returned.
struct XmlReader::Callbacks {
    template <typename Work>
    static void guarded(void* self, Work work) {
        auto& reader = *static_cast<XmlReader*>(self);
        if (reader.failure_) return;
        reader.quiet_bytes_ = 0;
        try {
            work(reader);
        } catch (...) {
            reader.failure_ = std::current_exception();
            XML_StopParser(reader.parser_.get(), XML_FALSE);
        }
    }
    static void start(void* self, const char* element, const char** attributes) {
        guarded(self, [&](XmlReader& reader) {
            if (++reader.depth_ > kDeepest)
                throw InputError("{}: elements nested deeper than {}, which no workbook needs", reader.name_, kDeepest);
            reader.start(without_prefix(element), XmlAttributes(attributes));
        });
    }
    static void end(void* self, const char* element) {
        guarded(self, [&](XmlReader& reader) {
            --reader.depth_;
            reader.end(without_prefix(element));
        });
    }
    static void text(void* self, const char* part, int length) {
        guarded(self, [&](XmlReader& reader) { reader.text({part, static_cast<size_t>(length)}); });
    }
    static void document_type(void* self, const char*, const char*, const char*, int) {
        guarded(self, [](XmlReader& reader) {
            throw InputError("{}: has a document type, which workbooks never have and which can be harmful",
                             reader.name_);
        });
    }
};

XmlReader::XmlReader(ReadBytes read, std::string name)
    : read_(std::move(read)), name_(std::move(name)), parser_(XML_ParserCreate(nullptr)) {
    if (!parser_) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), Callbacks::start, Callbacks::end);
    XML_SetCharacterDataHandler(parser_.get(), Callbacks::text);
    XML_SetStartDoctypeDeclHandler(parser_.get(), Callbacks::document_type);
}

XmlReader::~XmlReader() = default;

void XmlReader::Free::operator()(XML_ParserStruct* parser) const { XML_ParserFree(parser); }

void XmlReader::pause() {
    paused_ = true;
    XML_StopParser(parser_.get(), XML_TRUE);
}

bool XmlReader::run() {
    if (std::exchange(paused_, false) && parsed(XML_ResumeParser(parser_.get()))) return true;
    while (!last_) {
        void* piece = XML_GetBuffer(parser_.get(), kPieceBytes);
        if (!piece) throw std::bad_alloc();
        const size_t got = read_(std::span(static_cast<std::byte*>(piece), kPieceBytes));
        last_ = got < kPieceBytes;
        quiet_bytes_ += got;
        if (parsed(XML_ParseBuffer(parser_.get(), static_cast<int>(got), last_))) return true;
        // expat keeps an unfinished token whole, and looks at it anew with each piece.
        if (quiet_bytes_ > kMostQuietBytes)
            throw InputError("{}: {} bytes without a tag or text, which no workbook needs", name_, quiet_bytes_);
    }
    return false;
}

bool XmlReader::parsed(int status) {
    if (failure_) std::rethrow_exception(failure_);
    if (status == XML_STATUS_ERROR)
        throw InputError("{}: not well-formed XML at line {}, column {}: {}", name_,
                         XML_GetCurrentLineNumber(parser_.get()), XML_GetCurrentColumnNumber(parser_.get()) + 1,
                         XML_ErrorString(XML_GetErrorCode(parser_.get())));
    return status == XML_STATUS_SUSPENDED;
}

}  // namespace cmr::io
