#pragma once
// XML in pieces, by expat, behind an interface without its callbacks' traps: exceptions of a handler arrive at the
// caller of run(), names come without their namespace prefix, and what a table never needs is refused: document types
// (so no entities, which can grow without bounds), endless tokens and bottomless nesting.

#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct XML_ParserStruct;

namespace cmr::io {

// The attributes of one element, valid during the call only.
class XmlAttributes {
  public:
    explicit XmlAttributes(const char** pairs) : pairs_(pairs) {}
    // Empty where there is none.
    std::string_view get(std::string_view local_name) const;

    // For elements with many attributes of which several are wanted: calls visit(name, value).
    template <typename Visit>
    void each(Visit visit) const;

  private:
    const char** pairs_;
};

std::string_view without_prefix(std::string_view name);

class XmlReader {
  public:
    using ReadBytes = std::function<size_t(std::span<std::byte>)>;

    virtual ~XmlReader();
    XmlReader(const XmlReader&) = delete;
    XmlReader& operator=(const XmlReader&) = delete;

    // Goes on until a handler calls pause() (true) or the document ends (false).
    bool run();

  protected:
    // `name` begins the messages.
    XmlReader(ReadBytes read, std::string name);

    virtual void start(std::string_view element, const XmlAttributes& attributes) = 0;
    virtual void end(std::string_view element) = 0;
    // A part of the text between tags.
    virtual void text(std::string_view part) = 0;
    void pause();

    const std::string& name() const { return name_; }

  private:
    struct Free {
        void operator()(XML_ParserStruct* parser) const;
    };
    struct Callbacks;

    bool parsed(int status);

    ReadBytes read_;
    std::string name_;
    std::unique_ptr<XML_ParserStruct, Free> parser_;
    std::exception_ptr failure_;
    int depth_ = 0;
    size_t quiet_bytes_ = 0;  // since the last event
    bool last_ = false;
    bool paused_ = false;
};

template <typename Visit>
void XmlAttributes::each(Visit visit) const {
    for (const char** pair = pairs_; *pair; pair += 2) visit(without_prefix(pair[0]), std::string_view(pair[1]));
}

}  // namespace cmr::io
