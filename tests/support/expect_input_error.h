#pragma once
// The call must fail with an InputError whose message contains all of these words.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"

namespace cmr::test {

template <typename Call>
void expect_input_error(Call call, const std::vector<std::string>& words) {
    try {
        call();
        ADD_FAILURE() << "accepted";
    } catch (const InputError& error) {
        for (const std::string& word : words) EXPECT_THAT(error.what(), testing::HasSubstr(word));
    }
}

}  // namespace cmr::test
