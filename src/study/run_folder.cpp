#include "study/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include "base/error.h"
#include "io/json_fields.h"

namespace cmr::study {
namespace {

[[noreturn]] void refuse(const fs::path& file) { fail_with(errno, file.string()); }

}  // namespace

void RunFolder::create() const {
    for (const char* name : {"cells", "recipes", "models", "scores", "logs", "data"}) {
        std::error_code error;
        fs::create_directories(folder_ / name, error);
        if (error) fail_with(error.value(), (folder_ / name).string());
    }
}

void RunFolder::write_plan(const Plan& plan) const {
    io::write_file_atomically(folder_ / "plan.json", io::to_text(io::to_json(plan), 1) + "\n");
}

Plan RunFolder::plan() const {
    const fs::path file = folder_ / "plan.json";
    if (!fs::exists(file))
        throw InputError("{}: not the folder of a run: it has no plan.json; `cmr study STUDY --out {}` makes one",
                         folder_.string(), folder_.string());
    Plan plan;
    io::from_json(io::read_file(file), file.string(), "field", plan, io::Missing::kKeepsItsValue);
    if (plan.name.empty() || plan.version.empty())
        throw InputError("{}: not a plan: it has no name or no version", file.string());
    for (const Use& use : plan.uses)
        if (use.cell < 0 || use.cell >= std::ssize(plan.cells))
            throw InputError("{}: a use of cell {}, but there are {} cells", file.string(), use.cell,
                             plan.cells.size());
    return plan;
}

bool RunFolder::has_result(const Cell& cell) const { return fs::exists(folder_ / "cells" / (cell.id + ".json")); }

std::optional<Result> RunFolder::result(const Cell& cell) const {
    const fs::path file = folder_ / "cells" / (cell.id + ".json");
    if (!fs::exists(file)) return std::nullopt;
    Result out;
    io::from_json(io::read_file(file), file.string(), "field", out, io::Missing::kKeepsItsValue);
    if (out.id != cell.id)
        throw InputError("{}: a result of cell \"{}\", expected \"{}\"", file.string(), out.id, cell.id);
    return out;
}

void RunFolder::write_result(const Result& result) const {
    io::write_file_atomically(folder_ / "cells" / (result.id + ".json"), io::to_text(io::to_json(result)) + "\n");
}

void RunFolder::forget(const Cell& cell) const {
    fs::remove(folder_ / "cells" / (cell.id + ".json"));
    fs::remove(model(cell));
    fs::remove(model(cell).string() + ".part");
    fs::remove(fit_facts(cell));
    reset(cell);
}

void RunFolder::reset(const Cell& cell) const {
    // Not removed: a worker that opens it now must find the same file.
    const fs::path file = folder_ / "cells" / (cell.id + ".lock");
    if (fs::exists(file)) fs::resize_file(file, 0);
}

std::unique_ptr<RunFolder::Claim> RunFolder::claim(const Cell& cell) const {
    const fs::path file = folder_ / "cells" / (cell.id + ".lock");
    auto out = std::unique_ptr<Claim>(
        new Claim{io::Descriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666)), 0});
    const int number = out->lock.number();
    if (number < 0) refuse(file);
    for (int tries = 1; ::flock(number, LOCK_EX | LOCK_NB) != 0; ++tries) {
        if (errno != EWOULDBLOCK) refuse(file);
        if (tries == 5) return nullptr;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));  // is_claimed holds it for a moment, too
    }
    if (has_result(cell)) return nullptr;  // since the caller looked
    struct stat facts {};
    if (::fstat(number, &facts) != 0) refuse(file);
    out->begun = facts.st_size;
    if (::write(number, ".", 1) != 1) refuse(file);
    return out;
}

bool RunFolder::is_claimed(const Cell& cell) const {
    const io::Descriptor file(::open((folder_ / "cells" / (cell.id + ".lock")).c_str(), O_RDONLY | O_CLOEXEC));
    if (file.number() < 0) return false;
    return ::flock(file.number(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

}  // namespace cmr::study
