// table N: the values of 1 + 2 x + 3 x^2 at 0 .. N - 1.
#include "vectors.h"
#include <cstdio>
#include <cstdlib>

int main(int argc, char **argv) {
    int n = argc == 2 ? std::atoi(argv[1]) : 0;
    if (n < 1) return std::fprintf(stderr, "usage: %s COUNT\n", argv[0]), 2;
    std::vector<float> x;
    for (int i = 0; i < n; i++) x.push_back(float(i));
    std::vector<float> y = vectors::evaluate({1, 2, 3}, x);
    for (int i = 0; i < n; i++) std::printf("p(%d) = %g\n", i, double(y[size_t(i)]));
}
