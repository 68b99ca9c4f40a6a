#include "polynomial.h"

__device__ float polynomial(const float *coefficients, int count, float x) {
    float sum = 0;
    for (int k = count - 1; k >= 0; k--) sum = sum * x + coefficients[k];
    return sum;
}
