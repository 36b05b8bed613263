#include "data/samples.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"

namespace cmr::data {
namespace {

// A file without a name: gone with the process, however that ends.
int open_unnamed_file() {
    const std::string folder = std::filesystem::temp_directory_path().string();
    int number = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (number < 0) {  // not every file system has O_TMPFILE
        std::string name = folder + "/cmr-samples-XXXXXX";
        number = mkostemp(name.data(), O_CLOEXEC);
        if (number >= 0) unlink(name.c_str());
    }
    if (number < 0)
        fail_with(errno, fmt::format("cannot make a temporary file in {}; TMPDIR names another folder", folder));
    return number;
}

}  // namespace

class Samples::Region {
  public:
    explicit Region(Storage storage) : disk_(storage == Storage::kDisk) {
        if (disk_) file_ = std::make_unique<io::Descriptor>(open_unnamed_file());
    }
    ~Region() {
        if (data_) munmap(data_, bytes_);
    }
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;

    void grow(int64_t samples) {
        CMR_ASSERT(disk_ == (file_ != nullptr), "sealed samples do not grow");
        const size_t bytes = round_up(samples);
        // posix_fallocate takes the room now, so that a full disk is an error here and not a signal later.
        if (file_) {
            const int failure = posix_fallocate(file_->number(), 0, static_cast<off_t>(bytes));
            if (failure)
                throw SystemError("cannot keep {} MB of samples in {}: {}; TMPDIR names another folder", bytes >> 20,
                                  std::filesystem::temp_directory_path().string(),
                                  std::generic_category().message(failure));
        }
        void* grown = MAP_FAILED;
        if (data_)
            grown = mremap(data_, bytes_, bytes, MREMAP_MAYMOVE);
        else
            grown = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, file_ ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS,
                         file_ ? file_->number() : -1, 0);
        if (grown == MAP_FAILED)
            throw SystemError("no memory for {} MB of samples; storage = \"disk\" in [data] keeps them in a file",
                              bytes >> 20);
        data_ = grown;
        bytes_ = bytes;
        // A page fault costs more than filling the page; where the system refuses, nothing is lost but time.
        if (!file_ && bytes >= kHuge) madvise(data_, bytes_, MADV_HUGEPAGE);
    }

    void seal(int64_t samples) {
        const size_t bytes = std::max(round_up(samples), kPage);
        if (bytes < bytes_) {
            void* shrunk = mremap(data_, bytes_, bytes, 0);
            CMR_ASSERT(shrunk == data_, "a mapping can always shrink in place");
            bytes_ = bytes;
            // Where this fails, the file only stays larger than needed.
            if (file_ && ftruncate(file_->number(), static_cast<off_t>(bytes)) != 0) errno = 0;
        }
        file_.reset();
    }

    const float* data() const { return static_cast<const float*>(data_); }
    int64_t capacity() const { return static_cast<int64_t>(bytes_ / sizeof(float)); }

  private:
    static constexpr size_t kPage = 4096;
    static constexpr size_t kHuge = size_t{4} << 20;
    static size_t round_up(int64_t samples) {
        return (static_cast<size_t>(samples) * sizeof(float) + kPage - 1) / kPage * kPage;
    }

    bool disk_;
    std::unique_ptr<io::Descriptor> file_;
    void* data_ = nullptr;
    size_t bytes_ = 0;
};

const float* Samples::data() const { return region_ ? region_->data() : nullptr; }
int64_t Samples::capacity() const { return region_ ? region_->capacity() : 0; }

void Samples::reserve(int64_t samples) {
    if (samples <= capacity()) return;
    if (!region_) region_ = std::make_shared<Region>(storage_);
    region_->grow(std::max(samples, capacity() + capacity() / 2));
}

void Samples::append(std::span<const float> more) {
    if (more.empty()) return;
    reserve(size_ + static_cast<int64_t>(more.size()));
    std::memcpy(const_cast<float*>(data()) + size_, more.data(), more.size_bytes());
    size_ += static_cast<int64_t>(more.size());
}

void Samples::seal() {
    if (region_) region_->seal(size_);
}

int64_t memory_for_samples() { return available_memory() / 2; }

}  // namespace cmr::data
