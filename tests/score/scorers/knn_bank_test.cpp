#include "score/scorers/knn_bank.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "kernels/isa.h"
#include "support/expect_input_error.h"
#include "support/random_matrix.h"

namespace cmr::score {
namespace {

using test::random_matrix;

double distance(std::span<const float> a, std::span<const float> b, Metric metric) {
    double square = 0, dot = 0, aa = 0, bb = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        const double x = a[i], y = b[i];
        square += (x - y) * (x - y), dot += x * y, aa += x * x, bb += y * y;
    }
    return metric == Metric::l2 ? std::sqrt(square) : 1.0 - dot / std::sqrt(aa * bb);
}

// All distances, sorted.
std::vector<double> brute_force(const Matrix& bank, const Matrix& queries, int64_t k, Metric metric,
                                std::span<const Rows> left_out = {}) {
    std::vector<double> out;
    for (int64_t q = 0; q < queries.rows; ++q) {
        std::vector<double> all;
        for (int64_t r = 0; r < bank.rows; ++r)
            if (left_out.empty() || r < left_out[q].begin || r >= left_out[q].end)
                all.push_back(distance(queries.row(q), bank.row(r), metric));
        std::ranges::sort(all);
        double sum = 0;
        for (int64_t i = 0; i < k; ++i) sum += all[i];
        out.push_back(sum / static_cast<double>(k));
    }
    return out;
}

void expect_near(const std::vector<float>& found, const std::vector<double>& wanted, double tolerance) {
    ASSERT_EQ(found.size(), wanted.size());
    for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], wanted[i], tolerance * wanted[i]) << "query " << i;
}

struct Threads {
    explicit Threads(int count) { set_thread_count(count); }
    ~Threads() { set_thread_count(before); }
    int before = thread_count();
};

TEST(Knn, IsTheMeanOfTheNearestDistances) {
    Matrix bank(3, 2);
    bank.values = {0, 0, 3, 4, 6, 8};
    Matrix query(1, 2);
    EXPECT_EQ(KnnBank(bank, Metric::l2).score(query, 1), std::vector<float>{0});
    EXPECT_EQ(KnnBank(bank, Metric::l2).score(query, 3), std::vector<float>{5});
}

TEST(Knn, AgreesWithSortingAllDistancesOnEveryIsa) {
    const kernels::Isa before = kernels::current_isa();
    for (const kernels::Isa isa : kernels::available_isas()) {
        kernels::use_isa(isa);
        for (const int64_t columns : {1, 3, 8, 17, 40})
            for (const Metric metric : {Metric::l2, Metric::cosine}) {
                const Matrix bank = random_matrix(9000, columns, 1), queries = random_matrix(19, columns, 2);
                // With one feature cosines are 1 or -1, and the score 0.
                if (columns == 1 && metric == Metric::cosine) continue;
                expect_near(KnnBank(bank, metric).score(queries, 7), brute_force(bank, queries, 7, metric), 1e-5);
            }
    }
    kernels::use_isa(before);
}

// |x|² + |y|² - 2xy in float would round at 3e9, so that little of a distance of 8 would be left.
TEST(Knn, KeepsItsDigitsFarFromTheOrigin) {
    const Matrix bank = random_matrix(500, 32, 1, 1e4), queries = random_matrix(40, 32, 2, 1e4);
    expect_near(KnnBank(bank, Metric::l2).score(queries, 5), brute_force(bank, queries, 5, Metric::l2), 1e-6);
}

TEST(Knn, AQueryAloneHasTheBitsItHasInAnyBatch) {
    const Matrix bank = random_matrix(5000, 33, 1), queries = random_matrix(700, 33, 2);
    for (const Metric metric : {Metric::l2, Metric::cosine}) {
        const KnnBank knn(bank, metric);
        const std::vector<float> batch = knn.score(queries, 20);
        for (int64_t q = 0; q < queries.rows; q += 23)
            EXPECT_EQ(knn.score(MatrixView(queries).rows_from(q, 1), 20).front(), batch[q]) << "query " << q;
        const std::vector<float> tail = knn.score(MatrixView(queries).rows_from(689, 11), 20);
        EXPECT_TRUE(std::ranges::equal(tail, std::span(batch).subspan(689)));
    }
}

TEST(Knn, HasTheSameBitsForAnyNumberOfThreads) {
    const Matrix bank = random_matrix(20000, 16, 1), queries = random_matrix(50, 16, 2);
    const KnnBank knn(bank, Metric::l2);
    std::vector<float> one;
    {
        const Threads threads(1);
        one = knn.score(queries, 10);
    }
    for (const int count : {2, 3, 7}) {
        const Threads threads(count);
        EXPECT_EQ(knn.score(queries, 10), one) << count << " threads";
    }
}

TEST(Knn, CanLeaveOutTheNeighboursInTime) {
    const Matrix bank = random_matrix(600, 8, 1);
    std::vector<Rows> left_out;
    for (int64_t i = 0; i < bank.rows; ++i) left_out.push_back({i / 120 * 120, i / 120 * 120 + 120});
    const KnnBank knn(bank, Metric::l2);
    const std::vector<float> found = knn.score(bank, 5, left_out);
    expect_near(found, brute_force(bank, bank, 5, Metric::l2, left_out), 1e-5);
    const std::vector<float> careless = knn.score(bank, 1);
    EXPECT_EQ(std::ranges::max(careless), 0) << "each finds itself";
    EXPECT_GT(std::ranges::min(found), 0);
}

TEST(Knn, TakesConstantFeaturesAndCopiesAsTheyAre) {
    Matrix bank(10, 4), query(1, 4);
    std::ranges::fill(bank.values, 2.0f);
    std::ranges::fill(query.values, 3.0f);
    EXPECT_EQ(KnnBank(bank, Metric::l2).score(query, 10).front(), 2.0f);
    EXPECT_NEAR(KnnBank(bank, Metric::cosine).score(query, 10).front(), 0.0f, 1e-7f);
    std::ranges::fill(query.values, 0.0f);
    EXPECT_NEAR(KnnBank(bank, Metric::cosine).score(query, 10).front(), 0.5f, 1e-6f) << "zeros point nowhere";
}

TEST(Knn, SurvivesDistancesBeyondFloat) {
    Matrix bank(2, 1), query(1, 1);
    bank.values = {1e30f, 2e30f};
    query.values = {-1e30f};
    EXPECT_FLOAT_EQ(KnnBank(bank, Metric::l2).score(query, 2).front(), 2.5e30f);
}

// Products of floats say nothing here: every row has to be measured.
TEST(Knn, FindsTheNearestOfRowsThatDifferInTheLastDigits) {
    Matrix bank = random_matrix(300, 64, 1), queries = random_matrix(5, 64, 2);
    for (float& value : bank.values) value = 1000 + 0.01f * value;
    for (float& value : queries.values) value = 1000 + 0.01f * value;
    expect_near(KnnBank(bank, Metric::l2).score(queries, 3), brute_force(bank, queries, 3, Metric::l2), 1e-6);
}

TEST(Knn, SeveralKAtOnceAreThoseOfEachAlone) {
    const Matrix bank = random_matrix(700, 12, 1), queries = random_matrix(130, 12, 2);
    const KnnBank knn(bank, Metric::l2);
    const Matrix both = knn.score_each(queries, {9, 2});
    const std::vector<float> nine = knn.score(queries, 9), two = knn.score(queries, 2);
    for (int64_t q = 0; q < queries.rows; ++q) {
        EXPECT_EQ(both.row(q)[0], nine[q]);
        EXPECT_EQ(both.row(q)[1], two[q]);
    }
}

TEST(Knn, SaysWhatItCannotUse) {
    const Matrix bank = random_matrix(12, 4, 1), queries = random_matrix(2, 4, 2);
    const KnnBank knn(bank, Metric::l2);
    test::expect_input_error([&] { knn.score(queries, 20); }, {"k = 20", "12"});
    test::expect_input_error([&] { knn.score(queries, 0); }, {"k = 0"});
    const std::vector<Rows> left_out = {{0, 0}, {2, 12}};
    test::expect_input_error([&] { knn.score(queries, 3, left_out); }, {"k = 3", "only 2 of 12"});
    test::expect_input_error([&] { knn.score(random_matrix(2, 5, 1), 1); }, {"5 features", "4"});
    test::expect_input_error([&] { KnnBank(Matrix(0, 4), Metric::l2); }, {"bank", "0 rows"});
    Matrix broken = queries;
    broken.row(1)[2] = std::numeric_limits<float>::quiet_NaN();
    test::expect_input_error([&] { knn.score(broken, 1); }, {"row 1", "nan"});
    test::expect_input_error([] { metric_named("l3"); }, {"l3", "cosine"});
    EXPECT_TRUE(knn.score(Matrix(0, 4), 3).empty());
}

}  // namespace
}  // namespace cmr::score
