#include "io/toml/place.h"

#include <algorithm>

namespace cmr::io {

std::string place_of(TomlNode& tree, const std::string& path) {
    TomlNode* node = &tree;
    for (size_t begin = 0; begin < path.size();) {
        const size_t end = std::min(path.find('.', begin), path.size());
        const std::string step = path.substr(begin, end - begin);
        const size_t bracket = std::min(step.find('['), step.size());
        TomlNode* next = node->find(step.substr(0, bracket));
        if (next && bracket < step.size()) {
            const size_t index = std::stoul(step.substr(bracket + 1));
            next = index < next->items.size() ? &next->items[index] : nullptr;
        }
        if (!next) break;
        node = next;
        begin = end + 1;
    }
    return node->place;
}

}  // namespace cmr::io
