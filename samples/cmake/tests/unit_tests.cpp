#include "vectors.h"
#include <gtest/gtest.h>
#include <numeric>
#include <stdexcept>

TEST(Evaluate, PolynomialOfDegree2) {
    EXPECT_EQ(vectors::evaluate({1, 2, 3}, {0, 1, 2, -1}), (std::vector<float>{1, 6, 17, 2}));
}

TEST(Evaluate, NoCoefficientsIsZero) { EXPECT_EQ(vectors::evaluate({}, {5, 6}), (std::vector<float>{0, 0})); }

TEST(Evaluate, NoValues) { EXPECT_TRUE(vectors::evaluate({1}, {}).empty()); }

TEST(Dot, ManyBlocks) {
    std::vector<float> a(1000), ones(1000, 1);
    std::iota(a.begin(), a.end(), 0.0f);
    EXPECT_DOUBLE_EQ(vectors::dot(a, ones), 999 * 1000 / 2);
}

TEST(Dot, DifferentLengthsAreRefused) { EXPECT_THROW(vectors::dot({1}, {1, 2}), std::invalid_argument); }
