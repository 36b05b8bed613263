#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>
#include <string>

#include "support/run_command.h"

namespace cmr::train {
namespace {

// Batch, causes, effects, length, width, layers. A longer list, measured once (peak and foretold, in MB):
//   32 26 25 256 128 4: 2322 and 2467;  12 2 1 32768 128 4: 5544 and 7259
TEST(MemoryOfTraining, IsFromWhatItNeedsToTwiceThat) {
    for (const char* shape :
         {"4 1 1 32 16 1", "32 4 4 256 128 4", "4 1 1 6000 128 4", "8 2 12 256 64 2", "16 4 8 4096 128 1 ae",
          "16 4 8 4096 128 1 usad", "8 2 4 500 128 1 anomaly-transformer"}) {
        const test::CommandResult result =
            test::run_command(std::string("'") + std::getenv("CMR_BIN") + "/train_peak' " + shape);
        ASSERT_EQ(result.exit_code, 0) << shape;
        double peak = 0, foretold = 0;
        std::istringstream(result.output) >> peak >> foretold;
        EXPECT_GT(peak, 5e7) << shape;
        EXPECT_GE(foretold, peak) << shape;
        EXPECT_LE(foretold, 2 * peak) << shape;
    }
}

}  // namespace
}  // namespace cmr::train
