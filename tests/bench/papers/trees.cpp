/* trees.cpp: the traversals of trees.cu by hand: scalar code, and vectors of W queries (clang's vector types). */
#include "trees.h"
#include <cmath>
#include <cstring>

namespace {
template <int W> struct Lanes {
    typedef float F __attribute__((vector_size(4 * W)));
    typedef int I __attribute__((vector_size(4 * W)));
    static F load(const float *p) { F v; memcpy(&v, p, sizeof v); return v; }
    static I load(const int *p) { I v; memcpy(&v, p, sizeof v); return v; }
    static F set(float x) { return x - F{}; }
    static I set(int x) { return x - I{}; }
    static bool any(I c) { return __builtin_reduce_or(c); }
    static bool mostly(I c) { return -2 * __builtin_reduce_add(c) > W; }
    static F pick(I c, F a, F b) { return c ? a : b; }
    static I pick(I c, I a, I b) { return c ? a : b; }
    static F maximum(F a, F b) { return __builtin_elementwise_max(a, b); }
    static F root(F a) { return __builtin_elementwise_sqrt(a); }
    static void store(float *p, F v) { memcpy(p, &v, sizeof v); }
    static void store(float *p, I v) { store(p, __builtin_convertvector(v, F)); }
    static I one(I c) { return -c; }
};
template <> struct Lanes<1> {
    typedef float F;
    typedef int I;
    static F load(const float *p) { return *p; }
    static I load(const int *p) { return *p; }
    static F set(float x) { return x; }
    static I set(int x) { return x; }
    static bool any(I c) { return c; }
    static bool mostly(I c) { return c; }
    static F pick(I c, F a, F b) { return c ? a : b; }
    static I pick(I c, I a, I b) { return c ? a : b; }
    static F maximum(F a, F b) { return fmaxf(a, b); }
    static F root(F a) { return sqrtf(a); }
    static void store(float *p, F v) { *p = v; }
    static void store(float *p, I v) { *p = (float)v; }
    static I one(I c) { return c; }
};

template <int W> struct Traversals : Lanes<W> {
    using L = Lanes<W>;
    using F = typename L::F;
    using I = typename L::I;
    static F square(F x) { return x * x; }
    static F outside(F x, float low, float high) {
        return square(L::maximum(L::maximum(low - x, x - high), L::set(0.f)));
    }
    static F to_box(const Box &b, F x, F y) { return outside(x, b.low_x, b.high_x) + outside(y, b.low_y, b.high_y); }

    static I nearest(const Box *tree, F x, F y) {
        int stack[STACK], top = 0;
        F best = L::set(INFINITY);
        I found = L::set(-1);
        stack[top++] = 0;
        while (top) {
            int n = stack[--top];
            const Box &b = tree[n];
            if (!L::any(to_box(b, x, y) < best)) continue;
            F d = square(b.x - x) + square(b.y - y);
            I nearer = d < best;
            best = L::pick(nearer, d, best), found = L::pick(nearer, L::set(n), found);
            bool left = b.left >= 0;
            if (left && b.right >= 0) left = L::mostly(to_box(tree[b.left], x, y) <= to_box(tree[b.right], x, y));
            int first = left ? b.left : b.right, second = left ? b.right : b.left;
            if (second >= 0) stack[top++] = second;
            if (first >= 0) stack[top++] = first;
        }
        return found;
    }
    static I within(const Box *tree, F x, F y, F r) {
        int stack[STACK], top = 0;
        I count = L::set(0);
        stack[top++] = 0;
        while (top) {
            const Box &b = tree[stack[--top]];
            if (!L::any(to_box(b, x, y) <= r)) continue;
            count += L::one(square(b.x - x) + square(b.y - y) <= r);
            if (b.left >= 0) stack[top++] = b.left;
            if (b.right >= 0) stack[top++] = b.right;
        }
        return count;
    }
    static I vantage(const Vantage *tree, F x, F y) {
        int stack[STACK], top = 0;
        F best = L::set(INFINITY);
        I found = L::set(-1);
        stack[top++] = 0;
        while (top) {
            int n = stack[--top];
            const Vantage &v = tree[n];
            F d = L::root(square(v.x - x) + square(v.y - y));
            I nearer = d < best;
            best = L::pick(nearer, d, best), found = L::pick(nearer, L::set(n), found);
            if (v.right >= 0 && L::any(d + best >= v.radius)) stack[top++] = v.right;
            if (v.left >= 0 && L::any(d - best <= v.radius)) stack[top++] = v.left;
        }
        return found;
    }
    static F force(const Cell *tree, F x, F y, F z) {
        int stack[STACK], top = 0;
        F fx = L::set(0.f), fy = fx, fz = fx;
        stack[top++] = 0;
        while (top) {
            const Cell &c = tree[stack[--top]];
            F dx = c.x - x, dy = c.y - y, dz = c.z - z, d = dx * dx + dy * dy + dz * dz + SOFT;
            if (!L::any(c.size * c.size > OPENING * d)) {
                F f = c.mass / (d * L::root(d));
                fx += f * dx, fy += f * dy, fz += f * dz;
            } else {
                for (int child : c.child)
                    if (child >= 0) stack[top++] = child;
            }
        }
        return L::root(fx * fx + fy * fy + fz * fz);
    }
    static I search(const Key *tree, I label) {
        int stack[STACK], top = 0;
        I found = L::set(-1);
        stack[top++] = 0;
        while (top && L::any(found < 0)) {
            int n = stack[--top];
            const Key &k = tree[n];
            found = L::pick(label == k.key, L::set(n), found);
            if (k.left >= 0 && L::any((found < 0) & (label < k.key))) stack[top++] = k.left;
            if (k.right >= 0 && L::any((found < 0) & (label > k.key))) stack[top++] = k.right;
        }
        return found;
    }
    static void run(const char *name, const Trees &t, float *out) {
        for (int i = 0; i < t.n; i += W) {
            F x = L::load(t.x + i), y = L::load(t.y + i);
            int first = i / GROUP * GROUP;
            if (!strcmp(name, "kd")) L::store(out + i, nearest(t.boxes, x, y));
            else if (!strcmp(name, "km")) L::store(out + i, nearest(t.centres, x, y));
            else if (!strcmp(name, "pc")) L::store(out + i, within(t.boxes, x, y, L::set(RADIUS * RADIUS)));
            else if (!strcmp(name, "mpc"))
                L::store(out + i, within(t.boxes, L::set(t.x[first]), L::set(t.y[first]), L::load(t.radii + i)));
            else if (!strcmp(name, "vp")) L::store(out + i, vantage(t.vantages, x, y));
            else if (!strcmp(name, "bh")) L::store(out + i, force(t.cells, x, y, L::load(t.z + i)));
            else L::store(out + i, search(t.keys, L::load(t.labels + i)));
        }
    }
};
} // namespace

bool by_hand(const char *name, int w, const Trees &t, float *out) {
    switch (w) {
    case 1: Traversals<1>::run(name, t, out); return true;
    case 4: Traversals<4>::run(name, t, out); return true;
    case 8: Traversals<8>::run(name, t, out); return true;
    case 16: Traversals<16>::run(name, t, out); return true;
    case 32: Traversals<32>::run(name, t, out); return true;
    default: return false;
    }
}
