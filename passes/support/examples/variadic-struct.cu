// options:
#include <cstdarg>
struct Pair { double a, b; };
__device__ double first(int n, ...) {
    va_list list;
    va_start(list, n);
    return va_arg(list, Pair).a;
}
__global__ void call(double *x, Pair p) { *x = first(1, p); }
