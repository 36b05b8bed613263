#pragma once
// The lowest layer of a MATLAB file of version 5: a sequence of tagged data elements, some of them compressed.

#include <cstdint>
#include <string>
#include <string_view>

#include "io/mat/format.h"

namespace cmr::io::mat {

struct Element {
    Storage storage{};
    std::string_view bytes;
};

// Walks over the elements that stand in `bytes`. No element reaches out of them, whatever its tag declares.
class Cursor {
  public:
    // `source` is what messages call the bytes: the file, or one of its variables.
    Cursor(std::string_view bytes, const std::string& source, bool swapped)
        : whole_(bytes), source_(&source), swapped_(swapped) {}

    bool at_end() const { return position_ == whole_.size(); }
    size_t position() const { return position_; }
    size_t left() const { return whole_.size() - position_; }
    void skip(size_t bytes) { position_ += bytes; }
    Element next();
    // The next element, which must be stored so.
    Element next(Storage storage, const char* what);
    // A walk over the elements within this one, which came from this cursor.
    Cursor within(const Element& element) const;

    bool swapped() const { return swapped_; }
    uint32_t number(std::string_view bytes, size_t index) const;  // 4 bytes each

    [[noreturn]] void fail(const std::string& what) const;

  private:
    std::string_view whole_;
    const std::string* source_;
    bool swapped_;              // the file's byte order is not this machine's
    size_t base_ = 0;           // of whole_ in the source
    size_t position_ = 0;       // in whole_
    size_t element_begin_ = 0;  // for messages
};

// The bytes of a compressed element. The tag within declares how many to expect; memory grows with what really comes,
// at most up to `limit` bytes.
std::string inflate_element(std::string_view packed, const std::string& source, bool swapped, size_t limit);

// Bytes of one stored number; 0 where the storage holds none.
size_t number_size(Storage storage);

}  // namespace cmr::io::mat
