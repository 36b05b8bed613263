#pragma once
// The call must fail with an error of this kind whose message contains all of these words.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"

namespace cmr::test {

template <typename Error, typename Call>
void expect_error(Call call, const std::vector<std::string>& words) {
    try {
        call();
        ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
        for (const std::string& word : words) EXPECT_THAT(error.what(), testing::HasSubstr(word));
    }
}

template <typename Call>
void expect_input_error(Call call, const std::vector<std::string>& words) {
    expect_error<InputError>(call, words);
}

template <typename Call>
void expect_system_error(Call call, const std::vector<std::string>& words) {
    expect_error<SystemError>(call, words);
}

}  // namespace cmr::test
