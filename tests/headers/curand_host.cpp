// curand_kernel.h in a file for the host compiler: states, and the generators as host functions; libcurand has the same numbers.
// REQUIRES: run
// RUN: %clangxx -std=c++11 -Wall -Wextra -Werror -I%include %s -L%resources -lcurand -lcudart -Wl,-rpath,%resources -o %t && %run %t
// RUN: g++ -std=c++17 -Wall -Wextra -Werror -I%include %s -L%resources -lcurand -lcudart -Wl,-rpath,%resources -o %t && %run %t
#include <curand.h>
#include <curand_kernel.h>
#include <vector>

template <class State> static int wrong(curandRngType type, int (*subsequence)(int), int (*offset)(int)) {
    std::vector<unsigned> bits(2000);
    std::vector<float> normal(2000);
    curandGenerator_t g;
    int n = 0;
    n += curandCreateGeneratorHost(&g, type) != CURAND_STATUS_SUCCESS;
    n += curandSetPseudoRandomGeneratorSeed(g, 77) != CURAND_STATUS_SUCCESS;
    n += curandGenerate(g, bits.data(), bits.size()) != CURAND_STATUS_SUCCESS;
    n += curandDestroyGenerator(g) != CURAND_STATUS_SUCCESS;
    for (int i = 0; i < (int)bits.size(); i += 7) {
        State s;
        curand_init(77, subsequence(i), offset(i), &s);
        n += curand(&s) != bits[i];
        float u = curand_uniform(&s), z = curand_normal(&s);
        double d = curand_normal_double(&s);
        n += !(u > 0 && u <= 1) || !(z > -7 && z < 7) || !(d > -9 && d < 9);
    }
    return n;
}

int main() {
    int (*all)(int) = [](int i) { return i; }, (*none)(int) = [](int) { return 0; };
    int (*fours)(int) = [](int i) { return i / 4; }, (*rest)(int) = [](int i) { return i % 4; };
    curandStateSobol32_t sobol; /* a type that structures of a program may have */
    return wrong<curandState>(CURAND_RNG_PSEUDO_XORWOW, all, none) || wrong<curandStateMRG32k3a>(CURAND_RNG_PSEUDO_MRG32K3A, all, none) ||
           wrong<curandStatePhilox4_32_10>(CURAND_RNG_PSEUDO_PHILOX4_32_10, fours, rest) || sizeof sobol == 0;
}
