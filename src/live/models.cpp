#include "live/models.h"

#include <sys/stat.h>

#include "base/error.h"
#include "score/file/detector_file.h"

namespace cmr::live {

Models::Model Models::load(const std::string& file) {
    struct stat status {};
    if (stat(file.c_str(), &status) != 0) fail_with(errno, file);
    const Identity identity = {status.st_dev, status.st_ino, status.st_size,
                               status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec};
    LoadedFile& loaded = loaded_[file];
    if (!loaded.model || loaded.identity != identity)
        loaded = {identity, std::make_shared<const score::Detector>(score::load_detector(file))};
    return loaded.model;
}

}  // namespace cmr::live
