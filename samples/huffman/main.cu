// huffman: lossless compression: histogram and bit positions on the device, the code on the host, then all symbols are
// encoded at once: a prefix sum of code lengths tells each thread where its bits go.
#include "../common/sample.h"
#include <queue>

constexpr int THREADS = 256, PER_THREAD = 4, CHUNK = THREADS * PER_THREAD, SYMBOLS = 256;

struct Code {
    unsigned bits, length;
};

__global__ void histogram(const unsigned char *in, int n, unsigned *counts) {
    __shared__ unsigned s[SYMBOLS];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) atomicAdd(&s[in[i]], 1);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], s[threadIdx.x]);
}

/* Bits of each chunk, for the host to add up. */
__global__ void chunk_bits(const unsigned char *in, int n, const Code *codes, unsigned *bits) {
    __shared__ unsigned sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    unsigned mine = 0;
    for (int k = 0, i = blockIdx.x * CHUNK + threadIdx.x; k < PER_THREAD; k++, i += THREADS)
        if (i < n) mine += codes[in[i]].length;
    atomicAdd(&sum, mine);
    __syncthreads();
    if (threadIdx.x == 0) bits[blockIdx.x] = sum;
}

/* Puts a code at a bit position, highest bit first; words are shared with neighbours. */
__device__ inline void put(unsigned *out, unsigned at, Code c) {
    unsigned long long bits = (unsigned long long)c.bits << (64 - c.length - at % 32);
    atomicOr(&out[at / 32], unsigned(bits >> 32));
    if (unsigned(bits)) atomicOr(&out[at / 32 + 1], unsigned(bits));
}

__global__ void encode(const unsigned char *in, int n, const Code *codes, const unsigned *first_bit, unsigned *out) {
    __shared__ unsigned ends[2][THREADS];
    int t = threadIdx.x, begin = blockIdx.x * CHUNK + t * PER_THREAD, from = 0;
    unsigned mine = 0;
    for (int i = begin; i < min(begin + PER_THREAD, n); i++) mine += codes[in[i]].length;
    ends[0][t] = mine;
    __syncthreads();
    for (int step = 1; step < THREADS; step *= 2, from = 1 - from) {
        ends[1 - from][t] = ends[from][t] + (t >= step ? ends[from][t - step] : 0);
        __syncthreads();
    }
    unsigned at = first_bit[blockIdx.x] + ends[from][t] - mine;
    for (int i = begin; i < min(begin + PER_THREAD, n); i++) {
        Code c = codes[in[i]];
        put(out, at, c);
        at += c.length;
    }
}

/* Lengths from the tree of counts; codes in order of symbols, as the tree has them. */
static std::vector<Code> make_codes(const std::vector<unsigned> &counts) {
    struct Node {
        int left, right;
    };
    std::vector<Node> nodes(SYMBOLS, Node{-1, -1});
    std::vector<Code> codes(SYMBOLS);
    using Entry = std::pair<unsigned, int>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue;
    for (int s = 0; s < SYMBOLS; s++) queue.push({counts[s] + 1, s}); // no symbol is without a code
    while (queue.size() > 1) {
        Entry a = queue.top();
        queue.pop();
        Entry b = queue.top();
        queue.pop();
        nodes.push_back({a.second, b.second});
        queue.push({a.first + b.first, int(nodes.size()) - 1});
    }
    std::function<void(int, Code)> walk = [&](int node, Code c) {
        if (node < SYMBOLS) codes[node] = c;
        else walk(nodes[node].left, {c.bits << 1, c.length + 1}), walk(nodes[node].right, {c.bits << 1 | 1, c.length + 1});
    };
    walk(queue.top().second, {0, 0});
    return codes;
}

static unsigned add_up(std::vector<unsigned> &bits) { // lengths to positions; returns the sum
    unsigned sum = 0;
    for (unsigned &b : bits) {
        unsigned length = b;
        b = sum, sum += length;
    }
    return sum;
}

static void huffman_openmp(const unsigned char *in, int n, std::vector<unsigned> &out, unsigned &total) {
    constexpr int PART = 1 << 16;
    std::vector<unsigned> counts(SYMBOLS), bits(size_t(divide_up(n, PART)));
    unsigned *c = counts.data();
#pragma omp parallel for reduction(+ : c[ : SYMBOLS])
    for (int i = 0; i < n; i++) c[in[i]]++;
    std::vector<Code> codes = make_codes(counts);
#pragma omp parallel for
    for (size_t p = 0; p < bits.size(); p++) {
        unsigned sum = 0;
        for (int i = int(p) * PART; i < std::min((int(p) + 1) * PART, n); i++) sum += codes[in[i]].length;
        bits[p] = sum;
    }
    total = add_up(bits);
#pragma omp parallel for
    for (size_t p = 0; p < bits.size(); p++) {
        unsigned word = bits[p] / 32, filled = bits[p] % 32;
        unsigned long long pending = 0; // its `filled` high bits count
        for (int i = int(p) * PART; i < std::min((int(p) + 1) * PART, n); i++) {
            Code code = codes[in[i]];
            pending |= (unsigned long long)code.bits << (64 - code.length - filled);
            if ((filled += code.length) >= 32) {
#pragma omp atomic
                out[word] |= unsigned(pending >> 32);
                word++, filled -= 32, pending <<= 32;
            }
        }
        if (filled) {
#pragma omp atomic
            out[word] |= unsigned(pending >> 32);
        }
    }
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "huffman", "Huffman coding");
    int n = sample.pick(30011, 4000037, 100000007), chunks = divide_up(n, CHUNK);
    Random random;
    std::vector<unsigned char> in(n);
    for (unsigned char &c : in) c = (unsigned char)(128 + std::min(std::max(14 * random.normal(), -127.f), 127.f));
    std::vector<unsigned> counts, bits, want(size_t(n) / 2 + 16), zero(want.size());
    unsigned got_total = 0, want_total = 0;
    DeviceArray<unsigned char> din(in);
    DeviceArray<unsigned> dcounts(SYMBOLS), dbits(chunks), out(want.size());
    DeviceArray<Code> dcodes(SYMBOLS);
    Version cuda = {[&] { dcounts.zero(), out.zero(); },
                    [&] {
                        histogram<<<64, THREADS>>>(din, n, dcounts);
                        dcodes.set(make_codes(dcounts.get()));
                        chunk_bits<<<chunks, THREADS>>>(din, n, dcodes, dbits);
                        bits = dbits.get();
                        got_total = add_up(bits);
                        dbits.set(bits);
                        encode<<<chunks, THREADS>>>(din, n, dcodes, dbits, out);
                    }};
    Version openmp = {[&] { want = zero; }, [&] { huffman_openmp(in.data(), n, want, want_total); }};
    sample.run(cuda, openmp);
    sample.compare("lengths", std::vector<unsigned>{got_total}, std::vector<unsigned>{want_total});
    sample.compare("words", out.get(), want);
    std::printf("huffman: %.2f bits per symbol\n", double(got_total) / n);
    return sample.done();
}
