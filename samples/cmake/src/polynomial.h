#pragma once
/* coefficients[0] is the constant one */
__device__ float polynomial(const float *coefficients, int count, float x);
