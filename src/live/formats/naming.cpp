#include "live/formats/naming.h"

#include "base/error.h"

namespace cmr::live {

Naming::Naming(std::string_view text) {
    if (text.find_first_of("{}") == std::string_view::npos) {
        pieces_.push_back({true, std::string(text)});
        return;
    }
    for (std::string_view rest = text; !rest.empty();) {
        const size_t open = rest.find('{');
        if (open != 0) pieces_.push_back({false, std::string(rest.substr(0, open))});
        if (open == std::string_view::npos) break;
        const size_t close = rest.find('}', open);
        if (close == std::string_view::npos || close == open + 1)
            throw InputError("'{}' has a {{ without a word and a }}", text);
        pieces_.push_back({true, std::string(rest.substr(open + 1, close - open - 1))});
        rest.remove_prefix(close + 1);
    }
}

Naming Naming::fixed(std::string_view name) {
    Naming out;
    out.pieces_.push_back({false, std::string(name)});
    return out;
}

}  // namespace cmr::live
