#pragma once
// Runs a test once for every instruction set this CPU has (instantiated in isa_test.cpp), and with denormals off, as
// the kernels want.

#include <gtest/gtest.h>

#include "base/parallel.h"
#include "kernels/isa.h"

namespace cmr::kernels {

class EveryIsa : public testing::TestWithParam<Isa> {
  protected:
    void SetUp() override { use_isa(GetParam()); }
    void TearDown() override {
        use_isa(before_);
        set_thread_count(threads_before_);
    }

    const Isa before_ = current_isa();
    const int threads_before_ = thread_count();
    const FlushDenormals flush_;
};

inline constexpr int kThreadCounts[] = {2, 3, 4, 8};

}  // namespace cmr::kernels
