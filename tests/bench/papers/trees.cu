// The tree traversals of Moll (2021), chapter 13.1, written afresh: Barnes-Hut forces, nearest neighbour in a k-d tree, point
// correlation with one radius and with several, k-means by a k-d tree of the centres, nearest neighbour in a vantage-point
// tree, search in a binary tree.
//     trees KERNEL SPREAD [W...]
// prints CPU microseconds of the kernel ("cuda"), and of the traversal by hand with W queries at a time, 1 being scalar code.
// Queries lie in boxes of 256, whose size is SPREAD of the whole; those of the binary tree are sorted, and their neighbours SPREAD
// of their distance away from where they would be.
#include "trees.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <ctime>
#include <numeric>
#include <vector>

#define ANY(c) __any_sync(~0u, c)
#define MOSTLY(c) (2 * __popc(__ballot_sync(~0u, c)) > warpSize)
#define QUERY int i = blockIdx.x * blockDim.x + threadIdx.x, stack[STACK], top = 0

__device__ inline float square(float x) { return x * x; }
__device__ inline float outside(float x, float low, float high) { return square(fmaxf(fmaxf(low - x, x - high), 0)); }
__device__ inline float to_box(const Box &b, float x, float y) { return outside(x, b.low_x, b.high_x) + outside(y, b.low_y, b.high_y); }

__device__ inline float nearest(const Box *tree, float x, float y) {
    int stack[STACK], top = 0, found = -1;
    float best = INFINITY;
    stack[top++] = 0;
    while (top) {
        int n = stack[--top];
        Box b = tree[n];
        if (!ANY(to_box(b, x, y) < best)) continue;
        float d = square(b.x - x) + square(b.y - y);
        if (d < best) best = d, found = n;
        bool left_first = b.left >= 0 && MOSTLY(to_box(tree[b.left], x, y) <= (b.right >= 0 ? to_box(tree[b.right], x, y) : INFINITY));
        int first = left_first ? b.left : b.right, second = left_first ? b.right : b.left;
        if (second >= 0) stack[top++] = second;
        if (first >= 0) stack[top++] = first;
    }
    return found;
}
__global__ void kd(Trees t, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = nearest(t.boxes, t.x[i], t.y[i]);
}
__global__ void km(Trees t, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = nearest(t.centres, t.x[i], t.y[i]);
}
__device__ inline float within(const Box *tree, float x, float y, float r) {
    int stack[STACK], top = 0, count = 0;
    stack[top++] = 0;
    while (top) {
        Box b = tree[stack[--top]];
        if (!ANY(to_box(b, x, y) <= r)) continue;
        if (square(b.x - x) + square(b.y - y) <= r) count++;
        if (b.left >= 0) stack[top++] = b.left;
        if (b.right >= 0) stack[top++] = b.right;
    }
    return count;
}
__global__ void pc(Trees t, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = within(t.boxes, t.x[i], t.y[i], square(RADIUS));
}
__global__ void mpc(Trees t, float *out) { // a group has one coordinate, each query its radius
    int i = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.x * blockDim.x + threadIdx.x / GROUP * GROUP;
    out[i] = within(t.boxes, t.x[first], t.y[first], t.radii[i]);
}
__global__ void vp(Trees t, float *out) {
    QUERY;
    float x = t.x[i], y = t.y[i], best = INFINITY;
    int found = -1;
    stack[top++] = 0;
    while (top) {
        int n = stack[--top];
        Vantage v = t.vantages[n];
        float d = sqrtf(square(v.x - x) + square(v.y - y));
        if (d < best) best = d, found = n;
        if (v.right >= 0 && ANY(d + best >= v.radius)) stack[top++] = v.right;
        if (v.left >= 0 && ANY(d - best <= v.radius)) stack[top++] = v.left;
    }
    out[i] = found;
}
__global__ void bh(Trees t, float *out) {
    QUERY;
    float x = t.x[i], y = t.y[i], z = t.z[i], fx = 0, fy = 0, fz = 0;
    stack[top++] = 0;
    while (top) {
        const Cell *c = &t.cells[stack[--top]];
        float dx = c->x - x, dy = c->y - y, dz = c->z - z, d = dx * dx + dy * dy + dz * dz + SOFT;
        if (!ANY(square(c->size) > OPENING * d)) {
            float f = c->mass / (d * sqrtf(d));
            fx += f * dx, fy += f * dy, fz += f * dz;
        } else {
            for (int k = 0; k < CHILDREN; k++)
                if (c->child[k] >= 0) stack[top++] = c->child[k];
        }
    }
    out[i] = sqrtf(fx * fx + fy * fy + fz * fz);
}
__global__ void bt(Trees t, float *out) {
    QUERY;
    int label = t.labels[i], found = -1;
    stack[top++] = 0;
    while (top && ANY(found < 0)) {
        int n = stack[--top];
        Key k = t.keys[n];
        if (label == k.key) found = n;
        if (k.left >= 0 && ANY(found < 0 && label < k.key)) stack[top++] = k.left;
        if (k.right >= 0 && ANY(found < 0 && label > k.key)) stack[top++] = k.right;
    }
    out[i] = found;
}

/* ---- the trees ---- */

enum { POINTS = 1 << 15, CENTRES = 128, BODIES = 1 << 13, QUERIES = 4096, IN_BOX = 256, BLOCK = 128 };
static unsigned state = 12345;
static float random_float() {
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) / 16777216;
}
template <class T> static T *managed(size_t n) {
    T *p = nullptr;
    if (cudaMallocManaged(&p, n * sizeof(T)) != cudaSuccess) exit(1);
    return p;
}
struct Point {
    float v[3];
};
static std::vector<Point> points(int n) {
    std::vector<Point> p(n);
    for (Point &q : p)
        for (float &c : q.v) c = random_float();
    return p;
}
static int build_boxes(std::vector<Point> &p, int from, int to, int axis, std::vector<Box> &tree) {
    if (from == to) return -1;
    int n = (int)tree.size(), middle = (from + to) / 2;
    std::nth_element(p.begin() + from, p.begin() + middle, p.begin() + to,
                     [=](const Point &a, const Point &b) { return a.v[axis] < b.v[axis]; });
    Box b = {p[middle].v[0], p[middle].v[1], INFINITY, INFINITY, -INFINITY, -INFINITY, -1, -1};
    for (int i = from; i < to; i++) {
        b.low_x = std::min(b.low_x, p[i].v[0]), b.high_x = std::max(b.high_x, p[i].v[0]);
        b.low_y = std::min(b.low_y, p[i].v[1]), b.high_y = std::max(b.high_y, p[i].v[1]);
    }
    tree.push_back(b);
    int left = build_boxes(p, from, middle, !axis, tree), right = build_boxes(p, middle + 1, to, !axis, tree);
    tree[n].left = left, tree[n].right = right;
    return n;
}
static int build_vantages(std::vector<Point> &p, int from, int to, std::vector<Vantage> &tree) {
    if (from == to) return -1;
    int n = (int)tree.size(), middle = (from + 1 + to) / 2;
    Point v = p[from];
    auto distance = [=](const Point &a) { return hypotf(a.v[0] - v.v[0], a.v[1] - v.v[1]); };
    if (middle < to)
        std::nth_element(p.begin() + from + 1, p.begin() + middle, p.begin() + to,
                         [=](const Point &a, const Point &b) { return distance(a) < distance(b); });
    tree.push_back({v.v[0], v.v[1], middle < to ? distance(p[middle]) : 0, -1, -1});
    int left = build_vantages(p, from + 1, middle, tree), right = build_vantages(p, middle, to, tree);
    tree[n].left = left, tree[n].right = right;
    return n;
}
static int build_cells(std::vector<Point> p, Point low, float size, std::vector<Cell> &tree) {
    if (p.empty()) return -1;
    int n = (int)tree.size();
    Cell c = {0, 0, 0, (float)p.size(), p.size() == 1 ? 0 : size, {-1, -1, -1, -1, -1, -1, -1, -1}};
    for (const Point &q : p) c.x += q.v[0] / c.mass, c.y += q.v[1] / c.mass, c.z += q.v[2] / c.mass;
    tree.push_back(c);
    if (p.size() == 1) return n;
    std::vector<Point> part[CHILDREN];
    float half = size / 2;
    auto octant = [&](const Point &q) {
        int k = 0;
        for (int a = 0; a < 3; a++) k |= (q.v[a] >= low.v[a] + half) << a;
        return k;
    };
    for (const Point &q : p) part[octant(q)].push_back(q);
    for (int k = 0; k < CHILDREN; k++) {
        Point corner = low;
        for (int a = 0; a < 3; a++) corner.v[a] += k >> a & 1 ? half : 0;
        int child = build_cells(part[k], corner, half, tree);
        tree[n].child[k] = child;
    }
    return n;
}
static int build_keys(int from, int to, std::vector<Key> &tree) {
    if (from == to) return -1;
    int n = (int)tree.size(), middle = (from + to) / 2;
    tree.push_back({2 * middle, -1, -1});
    int left = build_keys(from, middle, tree), right = build_keys(middle + 1, to, tree);
    tree[n].left = left, tree[n].right = right;
    return n;
}
template <class T> static const T *shared(const std::vector<T> &v) {
    T *p = managed<T>(v.size());
    memcpy(p, v.data(), v.size() * sizeof(T));
    return p;
}

static Trees make(float spread) {
    Trees t = {};
    std::vector<Box> boxes, centres;
    std::vector<Vantage> vantages;
    std::vector<Cell> cells;
    std::vector<Key> keys;
    auto p = points(POINTS), c = points(CENTRES);
    build_boxes(p, 0, POINTS, 0, boxes), build_boxes(c, 0, CENTRES, 0, centres);
    build_vantages(p, 0, POINTS, vantages), build_cells(points(BODIES), {{0, 0, 0}}, 1, cells);
    build_keys(0, POINTS, keys);
    t.boxes = shared(boxes), t.centres = shared(centres), t.vantages = shared(vantages), t.cells = shared(cells), t.keys = shared(keys);
    std::vector<float> q[4];
    std::vector<int> labels;
    for (int b = 0; b < QUERIES / IN_BOX; b++) {
        float corner[3];
        for (float &v : corner) v = random_float() * (1 - spread);
        for (int i = 0; i < IN_BOX; i++) {
            for (int a = 0; a < 3; a++) q[a].push_back(corner[a] + spread * random_float());
            float r = RADIUS * random_float();
            q[3].push_back(r * r);
        }
    }
    for (int i = 0; i < QUERIES; i++) labels.push_back((int)(2 * (POINTS - 1) * (spread * random_float() + i) / (QUERIES - 1 + spread)));
    t.x = shared(q[0]), t.y = shared(q[1]), t.z = shared(q[2]), t.radii = shared(q[3]), t.labels = shared(labels), t.n = QUERIES;
    return t;
}

/* ---- measuring ---- */

static double seconds() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
template <class F> static double median(F run) {
    std::vector<double> times;
    run();
    for (int r = 0; r < 7; r++) {
        double from = seconds();
        run();
        times.push_back(seconds() - from);
    }
    std::sort(times.begin(), times.end());
    return 1e6 * times[times.size() / 2];
}

int main(int arguments, char **argument) {
    static const struct {
        const char *name;
        void (*kernel)(Trees, float *);
        float tolerance; /* a group that opens a cell for one of its queries is more exact */
    } KERNELS[] = {{"bh", bh, 0.02f}, {"kd", kd, 0}, {"pc", pc, 0}, {"mpc", mpc, 0}, {"km", km, 0}, {"vp", vp, 0}, {"bt", bt, 0}};
    if (arguments < 3) return fprintf(stderr, "trees KERNEL SPREAD [W...]\n"), 1;
    Trees t = make((float)atof(argument[2]));
    float *out = managed<float>(t.n), *expected = managed<float>(t.n);
    for (auto &k : KERNELS) {
        if (strcmp(k.name, argument[1])) continue;
        by_hand(k.name, 1, t, expected);
        auto check = [&](const char *what, double time) {
            for (int i = 0; i < t.n; i++)
                if (!(fabsf(out[i] - expected[i]) <= k.tolerance * fabsf(expected[i])))
                    return fprintf(stderr, "%s, %s: query %d is %g, not %g\n", k.name, what, i, out[i], expected[i]), exit(1);
            printf("%s %.2f\n", what, time);
        };
        check("cuda", median([&] { k.kernel<<<t.n / BLOCK, BLOCK>>>(t, out), cudaDeviceSynchronize(); }));
        for (int a = 3; a < arguments; a++) {
            int w = atoi(argument[a]);
            if (!by_hand(k.name, w, t, out)) return fprintf(stderr, "%s: not by %d\n", k.name, w), 1;
            check(argument[a], median([&] { by_hand(k.name, w, t, out); }));
        }
        return 0;
    }
    return fprintf(stderr, "no kernel %s\n", argument[1]), 1;
}
