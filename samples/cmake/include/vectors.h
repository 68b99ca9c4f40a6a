// Operations on vectors of the device, for host code.
#pragma once
#include <vector>

namespace vectors {
std::vector<float> evaluate(const std::vector<float> &coefficients, const std::vector<float> &x); // a polynomial
double dot(const std::vector<float> &a, const std::vector<float> &b);                             // equal lengths
} // namespace vectors
