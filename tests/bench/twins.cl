// twins.cl: kernels of this folder in OpenCL C, for opencl.c.
__kernel void matmul(__global const float *a, __global const float *b, __global float *c, int n) {
    __local float as[16][16], bs[16][16];
    int x = get_local_id(0), y = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        as[y][x] = a[row * n + k + x];
        bs[y][x] = b[(k + y) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 16; i++) sum += as[y][i] * bs[i][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum;
}

__kernel void mandelbrot(__global int *out, int n, int limit) {
    int px = get_global_id(0), py = get_global_id(1);
    if (px >= n || py >= n) return;
    float cx = -2.0f + 3.0f * px / n, cy = -1.5f + 3.0f * py / n, x = 0, y = 0;
    int i = 0;
    while (i < limit && x * x + y * y < 4.0f) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        i++;
    }
    out[py * n + px] = i;
}

float normal(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    float p = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * exp(-0.5f * d * d) * p;
    return d > 0 ? 1.0f - tail : tail;
}

__kernel void blackscholes(__global const float *s, __global const float *x, __global const float *t,
                           __global float *call, __global float *put, int n) {
    int i = get_global_id(0);
    if (i >= n) return;
    const float rate = 0.02f, volatility = 0.30f;
    float root = sqrt(t[i]);
    float d1 = (log(s[i] / x[i]) + (rate + 0.5f * volatility * volatility) * t[i]) / (volatility * root);
    float d2 = d1 - volatility * root;
    float n1 = normal(d1), n2 = normal(d2), discount = exp(-rate * t[i]);
    call[i] = s[i] * n1 - x[i] * discount * n2;
    put[i] = x[i] * discount * (1.0f - n2) - s[i] * (1.0f - n1);
}

__kernel void nbody(__global const float4 *body, __global float *force, int n) {
    __local float4 tile[256];
    int i = get_global_id(0), t = get_local_id(0);
    float4 me = body[i];
    float fx = 0, fy = 0, fz = 0;
    for (int first = 0; first < n; first += 256) {
        tile[t] = body[first + t];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 256; j++) {
            float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
            float inverse = rsqrt(dx * dx + dy * dy + dz * dz + 0.01f);
            float scale = tile[j].w * inverse * inverse * inverse;
            fx += dx * scale;
            fy += dy * scale;
            fz += dz * scale;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    force[3 * i] = fx;
    force[3 * i + 1] = fy;
    force[3 * i + 2] = fz;
}

__kernel void reduce_tree(__global const float *in, __global float *sums) {
    __local float s[256];
    int t = get_local_id(0);
    s[t] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int w = 128; w > 0; w /= 2) {
        if (t < w) s[t] += s[t + w];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0) sums[get_group_id(0)] = s[0];
}

__kernel void bitonic(__global const int *in, __global int *out) {
    __local int s[512];
    int t = get_local_id(0), first = get_group_id(0) * 512;
    s[t] = in[first + t];
    s[t + 256] = in[first + t + 256];
    for (int size = 2; size <= 512; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            int at = 2 * t - (t & (stride - 1));
            bool up = (at & size) == 0;
            int a = s[at], b = s[at + stride];
            if ((a > b) == up) {
                s[at] = b;
                s[at + stride] = a;
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[first + t] = s[t];
    out[first + t + 256] = s[t + 256];
}

__kernel void dct(__global const float *in, __global const float *c, __global float *out, int n, int size,
                  int inverse) {
    __local float inter[64];
    int i = get_local_id(0), j = get_local_id(1), left = get_group_id(0) * size, top = get_group_id(1) * size;
    float sum = 0;
    for (int k = 0; k < size; k++) {
        int at = inverse ? i * size + k : k * size + i;
        sum += c[at] * in[(top + j) * n + left + k];
    }
    inter[j * size + i] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0;
    for (int k = 0; k < size; k++) {
        int at = inverse ? j * size + k : k * size + j;
        sum += inter[k * size + i] * c[at];
    }
    out[(top + j) * n + left + i] = sum;
}

__kernel void fastwalsh(__global const float *in, __global float *out) {
    __local float s[512];
    int t = get_local_id(0), first = get_group_id(0) * 512;
    s[t] = in[first + t];
    s[t + 256] = in[first + t + 256];
    for (int stride = 256; stride > 0; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int low = t & (stride - 1), at = 2 * t - low;
        float a = s[at], b = s[at + stride];
        s[at] = a + b;
        s[at + stride] = a - b;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[first + t] = s[t];
    out[first + t + 256] = s[t + 256];
}

__kernel void floyd(__global int *d, int n, int k) {
    int x = get_global_id(0), y = get_global_id(1);
    int direct = d[y * n + x], over = d[y * n + k] + d[k * n + x];
    if (over < direct) d[y * n + x] = over;
}

__kernel void histogram(__global const uchar *in, __global int *bins, int n) {
    __local int s[256];
    int t = get_local_id(0);
    s[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) atomic_add(&s[in[i]], 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[t], s[t]);
}

__kernel void transpose(__global const float *in, __global float *out, int n) {
    __local float tile[32][33];
    int tx = get_local_id(0), ty = get_local_id(1), left = get_group_id(0) * 32, top = get_group_id(1) * 32;
    for (int i = 0; i < 32; i += 8) tile[ty + i][tx] = in[(top + ty + i) * n + left + tx];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 32; i += 8) out[(left + ty + i) * n + top + tx] = tile[tx][ty + i];
}
