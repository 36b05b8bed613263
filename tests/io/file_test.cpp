#include "io/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "support/expect_input_error.h"
#include "support/temporary_folder.h"

namespace cmr::io {
namespace {

using test::expect_input_error;
using test::expect_system_error;
using test::TemporaryFolder;
using testing::UnorderedElementsAre;

std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
    return names;
}

// Root may write everywhere, so the test takes off its hat.
class AsOrdinaryUser {
  public:
    AsOrdinaryUser() : was_(geteuid()), changed_(was_ == 0 && seteuid(65534) == 0) {}
    ~AsOrdinaryUser() {
        if (changed_ && seteuid(was_) != 0) std::abort();
    }
    AsOrdinaryUser(const AsOrdinaryUser&) = delete;
    AsOrdinaryUser& operator=(const AsOrdinaryUser&) = delete;
    bool is_root() const { return geteuid() == 0; }

  private:
    uid_t was_;
    bool changed_;
};

// Files may not grow past `bytes`, as if the disk were full there.
class FileSizeLimit {
  public:
    explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() {
        setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

  private:
    rlimit before_{};
    void (*handler_)(int);
};

TEST(ReadFile, ReturnsWhatWasWritten) {
    const TemporaryFolder folder;
    const std::string content("one\0two\n\xff", 9);
    write_file_atomically(folder / "a", content);
    EXPECT_EQ(read_file(folder / "a"), content);
}

TEST(ReadFile, ReadsAnEmptyFile) {
    const TemporaryFolder folder;
    write_file_atomically(folder / "a", "");
    EXPECT_EQ(read_file(folder / "a"), "");
}

TEST(ReadFile, ReadsAPipeToItsEnd) {
    const TemporaryFolder folder;
    const std::string content(300'000, 'x');
    ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
    std::jthread writer([&] {
        FILE* pipe = std::fopen((folder / "pipe").c_str(), "w");
        std::fwrite(content.data(), 1, content.size(), pipe);
        std::fclose(pipe);
    });
    EXPECT_EQ(read_file(folder / "pipe"), content);
}

TEST(ReadFile, NamesTheFileAndTheReason) {
    const TemporaryFolder folder;
    expect_input_error([&] { read_file(folder / "absent"); }, {(folder / "absent").string(), "No such file"});
    expect_input_error([&] { read_file(folder.path()); }, {folder.path().string(), "Is a directory"});
}

TEST(WriteFileAtomically, ReplacesAFileAndLeavesNothingElse) {
    const TemporaryFolder folder;
    write_file_atomically(folder / "a", "old and longer");
    write_file_atomically(folder / "a", "new");
    EXPECT_EQ(read_file(folder / "a"), "new");
    EXPECT_THAT(names_in(folder.path()), UnorderedElementsAre("a"));
}

TEST(WriteFileAtomically, JoinsThePieces) {
    const TemporaryFolder folder;
    write_file_atomically(folder / "a", [](const Sink& sink) {
        for (const std::string_view piece : {"one ", "", "two"}) sink(std::as_bytes(std::span(piece)));
    });
    EXPECT_EQ(read_file(folder / "a"), "one two");
}

TEST(WriteFileAtomically, HonoursTheUmask) {
    const TemporaryFolder folder;
    const mode_t before = umask(027);
    write_file_atomically(folder / "a", "x");
    umask(before);
    EXPECT_EQ(fs::status(folder / "a").permissions(), static_cast<fs::perms>(0640));
}

TEST(WriteFileAtomically, TakesANameAsLongAsTheFilesystemAllows) {
    const TemporaryFolder folder;
    const std::string name(255, 'n');
    write_file_atomically(folder / name, "x");
    EXPECT_THAT(names_in(folder.path()), UnorderedElementsAre(name));
    expect_input_error([&] { write_file_atomically(folder / (name + "n"), "x"); }, {name, "name too long"});
}

TEST(WriteFileAtomically, WritesARelativePath) {
    const TemporaryFolder folder;
    const fs::path before = fs::current_path();
    fs::current_path(folder.path());
    write_file_atomically("a", "x");
    fs::current_path(before);
    EXPECT_EQ(read_file(folder / "a"), "x");
}

TEST(WriteFileAtomically, KeepsASymbolicLinkAndReplacesWhatItPointsTo) {
    const TemporaryFolder folder;
    fs::create_directory(folder / "models");
    write_file_atomically(folder / "models/a", "old");
    fs::create_symlink("models/a", folder / "latest");
    write_file_atomically(folder / "latest", "new");
    EXPECT_TRUE(fs::is_symlink(folder / "latest"));
    EXPECT_EQ(read_file(folder / "models/a"), "new");
}

TEST(WriteFileAtomically, RefusesWhatIsNotAFile) {
    const TemporaryFolder folder;
    expect_input_error([&] { write_file_atomically(folder.path(), "x"); }, {folder.path().string(), "Is a directory"});
    expect_input_error([&] { write_file_atomically(folder / "", "x"); }, {"names a folder"});
    expect_input_error([&] { write_file_atomically("", "x"); }, {"names a folder"});
    // A pipe stands for all devices: were this to fail, a test run by root must not replace a real one.
    ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
    expect_input_error([&] { write_file_atomically(folder / "pipe", "x"); }, {"pipe", "not a regular file"});
    EXPECT_THAT(names_in(folder.path()), UnorderedElementsAre("pipe"));
}

TEST(WriteFileAtomically, NamesAFolderThatIsNotThere) {
    const TemporaryFolder folder;
    const fs::path path = folder / "absent/a";
    expect_input_error([&] { write_file_atomically(path, "x"); }, {path.string(), "folder", "No such file"});
    write_file_atomically(folder / "file", "x");
    const fs::path below_file = folder / "file/a";
    expect_input_error([&] { write_file_atomically(below_file, "x"); }, {below_file.string(), "Not a directory"});
}

TEST(WriteFileAtomically, NamesAFolderThatIsNotWritable) {
    const TemporaryFolder folder;
    write_file_atomically(folder / "a", "old");
    fs::permissions(folder.path(), static_cast<fs::perms>(0555));
    {
        const AsOrdinaryUser user;
        if (user.is_root()) GTEST_SKIP() << "this environment does not let root become another user";
        expect_input_error([&] { write_file_atomically(folder / "a", "new"); },
                           {"a: cannot write", "Permission denied"});
    }
    fs::permissions(folder.path(), static_cast<fs::perms>(0755));
    EXPECT_EQ(read_file(folder / "a"), "old");
}

TEST(WriteFileAtomically, KeepsTheOldFileWhenTheDiskIsFull) {
    const TemporaryFolder folder;
    write_file_atomically(folder / "a", "old");
    {
        const FileSizeLimit limit(1000);
        expect_system_error([&] { write_file_atomically(folder / "a", std::string(5000, 'x')); },
                            {(folder / "a").string(), "cannot write", std::strerror(EFBIG)});
    }
    EXPECT_EQ(read_file(folder / "a"), "old");
    EXPECT_THAT(names_in(folder.path()), UnorderedElementsAre("a"));
}

TEST(WriteFileAtomically, KeepsTheOldFileWhenTheProducerThrows) {
    const TemporaryFolder folder;
    write_file_atomically(folder / "a", "old");
    const auto produce = [](const Sink& sink) {
        sink(std::as_bytes(std::span(std::string_view("half"))));
        throw std::runtime_error("stop");
    };
    EXPECT_THROW(write_file_atomically(folder / "a", produce), std::runtime_error);
    EXPECT_EQ(read_file(folder / "a"), "old");
    EXPECT_THAT(names_in(folder.path()), UnorderedElementsAre("a"));
}

TEST(WriteFileAtomically, LeavesNothingBehindWhenASignalHandlerEndsTheProcess) {
    const TemporaryFolder folder;
    write_file_atomically(folder / "a", "old");
    const auto produce = [&](const Sink& sink) {
        sink(std::as_bytes(std::span(std::string_view("half"))));
        EXPECT_EQ(names_in(folder.path()).size(), 2u);
        remove_temporary_files();
        EXPECT_THAT(names_in(folder.path()), UnorderedElementsAre("a"));
        throw std::runtime_error("stop");
    };
    EXPECT_THROW(write_file_atomically(folder / "a", produce), std::runtime_error);
    write_file_atomically(folder / "b", "whole");
    remove_temporary_files();  // of finished calls there is nothing to remove
    EXPECT_THAT(names_in(folder.path()), UnorderedElementsAre("a", "b"));
    EXPECT_EQ(read_file(folder / "a"), "old");
}

TEST(WriteFileAtomically, GivesOneOfTheContentsWhenSeveralThreadsWrite) {
    const TemporaryFolder folder;
    {
        std::vector<std::jthread> writers;
        for (char letter = 'a'; letter < 'e'; ++letter)
            writers.emplace_back([&, letter] {
                for (int i = 0; i < 20; ++i) write_file_atomically(folder / "file", std::string(10'000, letter));
            });
    }
    const std::string content = read_file(folder / "file");
    EXPECT_EQ(content, std::string(10'000, content.at(0)));
    EXPECT_THAT(names_in(folder.path()), UnorderedElementsAre("file"));
}

// What a killed process left behind goes with the next write to its folder; what another writes now does not.
TEST(WriteFileAtomically, RemovesWhatTheDeadLeftBehind) {
    const TemporaryFolder folder;
    const auto leave = [&](const std::string& name, std::chrono::hours age) {
        write_file_atomically(folder / "made", "half");
        fs::rename(folder / "made", folder / name);
        fs::last_write_time(folder / name, fs::file_time_type::clock::now() - age);
    };
    leave(".cmr-4000000-1.tmp", std::chrono::hours(1));
    leave(".cmr-4000000-2.tmp", std::chrono::hours(0));
    leave(".other.tmp", std::chrono::hours(1));
    leave(".cmr-4000000-3.tmp", std::chrono::hours(1));
    {
        const Descriptor held(::open((folder / ".cmr-4000000-3.tmp").c_str(), O_RDONLY));
        ASSERT_EQ(::flock(held.number(), LOCK_EX), 0);
        write_file_atomically(folder / "a.txt", "a");
        EXPECT_THAT(names_in(folder.path()),
                    UnorderedElementsAre("a.txt", ".cmr-4000000-2.tmp", ".other.tmp", ".cmr-4000000-3.tmp"));
    }
    write_file_atomically(folder / "a.txt", "a");
    EXPECT_THAT(names_in(folder.path()), UnorderedElementsAre("a.txt", ".cmr-4000000-2.tmp", ".other.tmp"));
}

}  // namespace
}  // namespace cmr::io
