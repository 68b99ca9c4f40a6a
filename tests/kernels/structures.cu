// Structures as parameters, changed in the kernel; arrays of structures; vector types.
// REQUIRES: run
// RUN: %S/Inputs/run_widths.sh %cucpu %s %t
#include "check.h"

struct Inner {
    short a;
    double b[3];
};
struct Parameters {
    char tag;
    Inner inner[2];
    int *out;
    float3 v;
};
struct Particle {
    float3 position;
    char3 colour;
    float mass;
    Particle *next;
};

__global__ void modify(Parameters p, int x) {
    unsigned i = global_rank();
    p.inner[i & 1].a = short(i);
    p.inner[1].b[i % 3] += i;
    x += int(i);
    p.out[i] = p.inner[0].a + p.inner[1].a + int(p.inner[1].b[i % 3]) + p.tag + x + int(p.v.y);
}

__global__ void follow(Particle *p, float *out, unsigned n) {
    unsigned i = global_rank();
    Particle *q = &p[i % n];
    float sum = 0;
    for (unsigned steps = 0; q && steps < i % 7 + 1; q = q->next, steps++) {
        sum += q->position.x * q->mass + q->position.z + q->colour.y;
        q = q->next ? q->next : q;
    }
    out[i] = sum;
}

__global__ void vectors(float4 *f, double2 *d, char3 *c, uchar4 *u, int2 *i2) {
    unsigned i = global_rank();
    float4 v = f[i];
    f[i] = make_float4(v.w, v.z, v.y, v.x + 1);
    d[i].x += d[i].y;
    c[i] = make_char3(c[i].z, char(c[i].x + c[i].y), c[i].y);
    uchar4 b = u[i];
    u[i] = {b.y, b.z, b.w, (unsigned char)(b.x + b.w)};
    i2[i].y = i2[i].x - int(i);
}

int main() {
    each_shape([](dim3 block, unsigned threads) {
        const unsigned n = 2 * threads;
        Buffer<int> out(n);
        Parameters p = {3, {{5, {1, 2, 3}}, {7, {10, 20, 30}}}, out, {1, 2, 3}};
        std::vector<int> want(n);
        for (unsigned i = 0; i < n; i++)
            want[i] = (i & 1 ? 5 : short(i)) + (i & 1 ? short(i) : 7) + int(10 * (i % 3 + 1) + i) + 3 + 40 + int(i) + 2;
        modify<<<2, block>>>(p, 40);
        SAME(out.get(), want);

        const unsigned count = 10;
        Particle host[count];
        Particle *device;
        CUDA(cudaMalloc(&device, sizeof host));
        for (unsigned i = 0; i < count; i++)
            host[i] = {{float(i), 1, 2}, {1, char(i), 3}, 0.5f, i % 4 == 3 ? nullptr : device + (i * 3 + 1) % count};
        CUDA(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
        Buffer<float> sums(n);
        std::vector<float> want_sums(n);
        for (unsigned i = 0; i < n; i++) {
            int at = int(i % count);
            for (unsigned steps = 0; at >= 0 && steps < i % 7 + 1; steps++) {
                want_sums[i] += host[at].position.x * 0.5f + 2 + host[at].colour.y;
                if (host[at].next) at = int(host[at].next - device);
                at = host[at].next ? int(host[at].next - device) : -1;
            }
        }
        follow<<<2, block>>>(device, sums, count);
        SAME(sums.get(), want_sums);
        CUDA(cudaFree(device));

        std::vector<float4> f(n);
        std::vector<double2> d(n);
        std::vector<char3> c(n);
        std::vector<uchar4> u(n);
        std::vector<int2> i2(n);
        for (unsigned i = 0; i < n; i++) {
            float x = float(i);
            unsigned char b = (unsigned char)i;
            f[i] = {x, x + 1, x + 2, x + 3}, d[i] = {x / 2, x * 2}, c[i] = {char(i), 2, 3};
            u[i] = {b, 1, 2, b}, i2[i] = {int(i * i), 0};
        }
        Buffer<float4> df(f);
        Buffer<double2> dd(d);
        Buffer<char3> dc(c);
        Buffer<uchar4> du(u);
        Buffer<int2> di(i2);
        vectors<<<2, block>>>(df, dd, dc, du, di);
        auto gf = df.get();
        auto gd = dd.get();
        auto gc = dc.get();
        auto gu = du.get();
        auto gi = di.get();
        for (unsigned i = 0; i < n; i++) {
            float x = float(i);
            CHECK(gf[i].x == x + 3 && gf[i].y == x + 2 && gf[i].z == x + 1 && gf[i].w == x + 1);
            CHECK(gd[i].x == x / 2 + x * 2 && gd[i].y == x * 2);
            CHECK(gc[i].x == 3 && gc[i].y == (signed char)(i + 2) && gc[i].z == 2);
            CHECK(gu[i].x == 1 && gu[i].y == 2 && gu[i].z == (unsigned char)i && gu[i].w == (unsigned char)(2 * i));
            CHECK(gi[i].y == int(i * i) - int(i));
        }
    });
    return finish();
}
