// Loops whose number of iterations is the same in all lanes that run them, where an inactive first lane would wrap:
// for (t = a + i; t < b + i; t += c) with a + i at the end of the range (and such loops after each other, in 16 bits as
// in 64), and avgSquare of Sampaio et al. (2013), whose bound is unsigned.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include <climits>
#include <cstdio>

template <class T> __global__ void iterations(int *count, int *sum, T a, T b, T c, int first, int step) {
    int x = threadIdx.x, n = 0, s = 0;
    if (x >= first && x % step == 0) {
        for (T t = a + (x - first); t < b + (x - first); t += c) {
            n++;
            s += (int)(t & 7);
        }
        if (b - first + x < a - first + x + c) n += 1000;
    }
    count[blockIdx.x * blockDim.x + x] = n;
    sum[blockIdx.x * blockDim.x + x] = s;
}

__global__ void avgSquare(const float *m, float *v, int c) {
    if ((int)threadIdx.x < c) {
        int d = 0, last = threadIdx.x + c * c;
        float sum = 0;
        for (int i = threadIdx.x; i < last; i += c) {
            sum += m[i];
            d += 1;
        }
        v[threadIdx.x] = sum / d;
    }
}

template <class T> int check(const char *name, T a, T b, T c, int first, int step) {
    int *count, *sum, wrong = 0;
    cudaMallocManaged(&count, 128 * sizeof(int));
    cudaMallocManaged(&sum, 128 * sizeof(int));
    iterations<T><<<2, 64>>>(count, sum, a, b, c, first, step);
    cudaDeviceSynchronize();
    for (int i = 0; i < 128; i++) {
        int x = i % 64, n = 0, s = 0;
        if (x >= first && x % step == 0)
            for (T t = a + (x - first); t < b + (x - first); t += c) n++, s += (int)(t & 7);
        wrong += count[i] != n || sum[i] != s;
    }
    if (wrong) printf("%s, first %d, step %d: %d wrong\n", name, first, step, wrong);
    return wrong;
}

int main() {
    int wrong = 0;
    for (int first : {0, 1, 5, 17, 40})
        for (int step : {1, 3}) {
            wrong += check<int>("int, lowest", INT_MIN, INT_MIN + 20, 3, first, step);
            wrong += check<int>("int", -7, 30, 5, first, step);
            wrong += check<long long>("long long", LLONG_MIN, LLONG_MIN + 9, 1, first, step);
            wrong += check<short>("short", -100, 100, 9, first, step);
        }
    float *m, *v;
    int c = 37;
    cudaMallocManaged(&m, (c * c + 64) * sizeof(float));
    cudaMallocManaged(&v, 64 * sizeof(float));
    for (int i = 0; i < c * c + 64; i++) m[i] = i % 5;
    avgSquare<<<1, 64>>>(m, v, c);
    cudaDeviceSynchronize();
    for (int x = 0; x < c; x++) {
        float sum = 0;
        for (int i = x; i < x + c * c; i += c) sum += m[i];
        wrong += v[x] != sum / c;
    }
    printf("%s\n", wrong ? "FAILED" : "ok");
    return wrong != 0;
}
