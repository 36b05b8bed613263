#pragma once
// Kinds of faults as a figure names them: few by their own names, many as one, since eyes cannot tell them apart.

#include <set>
#include <string>

namespace cmr::study {

class KindNames {
  public:
    // `kind_of`: the kind of an item; those of healthy ones do not matter.
    template <typename Items, typename KindOf>
    KindNames(const Items& items, const KindOf& kind_of) {
        std::set<std::string> kinds;
        for (const auto& item : items) kinds.insert(kind_of(item));
        for (const char* healthy : {"", "bank", "healthy"}) kinds.erase(healthy);
        few_ = kinds.size() <= kFew;
    }
    template <typename Items>
    explicit KindNames(const Items& kinds) : KindNames(kinds, [](const std::string& kind) { return kind; }) {}

    std::string operator()(const std::string& kind) const { return few_ && !kind.empty() ? kind : "faulty"; }

  private:
    static constexpr size_t kFew = 5;
    bool few_ = true;
};

}  // namespace cmr::study
