// options: --simd=8
__global__ void exchange(ulonglong2 *x, const int *index) {
    __stcg(&x[index[threadIdx.x]], __ldcg(&x[threadIdx.x]));
}
