#pragma once
// Model files, each loaded once however many assets share it, and again only when the file is another. Loading scores
// the golden windows of the file: one that does not reproduce them is refused.

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "score/detector.h"

namespace cmr::live {

class Models {
  public:
    using Model = std::shared_ptr<const score::Detector>;

    Model load(const std::string& file);  // InputError where it is none

  private:
    using Identity = std::tuple<uint64_t, uint64_t, int64_t, int64_t>;  // device, number, size, time of change
    struct LoadedFile {
        Identity identity;
        Model model;
    };
    std::map<std::string, LoadedFile> loaded_;  // by name
};

}  // namespace cmr::live
