// btree: many searches in a B+ tree at once: a block per search, a thread per key of a node, as the levels go down;
// single keys, and ranges of keys.
#include "../common/sample.h"

constexpr int ORDER = 64; // children of a node

struct Node { // keys[i] is the least key below child[i]; unused keys are INT_MAX; leaves: child[i] is the record
    int keys[ORDER], child[ORDER];
};

/* The last child whose least key is not above `key`: the thread whose key and neighbour enclose it finds it. */
__device__ inline int descend(const Node *nodes, int height, int key, int *next) {
    int t = threadIdx.x, node = 0;
    for (int level = 0; level < height; level++) {
        const Node &here = nodes[node];
        bool last = t == ORDER - 1 || here.keys[t + 1] > key;
        if (here.keys[t] <= key && last) *next = level == height - 1 ? node : here.child[t];
        __syncthreads();
        node = *next;
        __syncthreads();
    }
    return node;
}

__global__ void find(const Node *nodes, int height, const int *keys, int *records) {
    __shared__ int next;
    int key = keys[blockIdx.x];
    if (threadIdx.x == 0) records[blockIdx.x] = -1;
    const Node &leaf = nodes[descend(nodes, height, key, &next)];
    if (leaf.keys[threadIdx.x] == key) records[blockIdx.x] = leaf.child[threadIdx.x];
}

/* How many keys lie in [from, from + length): leaves are stored one after the other. */
__global__ void count_range(const Node *nodes, int count, int height, const int *from, int length, int *counts) {
    __shared__ int next;
    int low = from[blockIdx.x], high = low + length, sum = 0;
    for (int leaf = descend(nodes, height, low, &next); leaf < count; leaf++) {
        int key = nodes[leaf].keys[threadIdx.x];
        sum += __syncthreads_count(key >= low && key < high);
        if (nodes[leaf].keys[0] >= high) break;
    }
    if (threadIdx.x == 0) counts[blockIdx.x] = sum;
}

static int descend_host(const Node *nodes, int height, int key) {
    int node = 0;
    for (int level = 0; level < height - 1; level++) {
        const Node &here = nodes[node];
        node = here.child[std::upper_bound(here.keys, here.keys + ORDER, key) - here.keys - 1];
    }
    return node;
}

static void search_openmp(const std::vector<Node> &nodes, int height, const std::vector<int> &keys, int length,
                          int *records, int *counts) {
#pragma omp parallel for
    for (size_t i = 0; i < keys.size(); i++) {
        int leaf = descend_host(nodes.data(), height, keys[i]);
        const int *k = nodes[leaf].keys, at = int(std::lower_bound(k, k + ORDER, keys[i]) - k);
        records[i] = at < ORDER && k[at] == keys[i] ? nodes[leaf].child[at] : -1;
        int high = keys[i] + length, sum = 0;
        for (; leaf < int(nodes.size()); leaf++) {
#pragma omp simd reduction(+ : sum)
            for (int j = 0; j < ORDER; j++) sum += nodes[leaf].keys[j] >= keys[i] && nodes[leaf].keys[j] < high;
            if (nodes[leaf].keys[0] >= high) break;
        }
        counts[i] = sum;
    }
}

/* The tree of sorted keys; levels from the root down, each level in order of keys. */
static std::vector<Node> build(const std::vector<int> &keys, int &height) {
    std::vector<std::vector<Node>> levels; // leaves first
    auto add_level = [&](const std::vector<int> &least) {
        std::vector<Node> level((least.size() + ORDER - 1) / ORDER);
        for (size_t i = 0; i < level.size() * ORDER; i++) {
            level[i / ORDER].keys[i % ORDER] = i < least.size() ? least[i] : INT32_MAX;
            level[i / ORDER].child[i % ORDER] = int(i);
        }
        levels.push_back(level);
    };
    add_level(keys);
    while (levels.back().size() > 1) {
        std::vector<int> least;
        for (const Node &node : levels.back()) least.push_back(node.keys[0]);
        add_level(least);
    }
    height = int(levels.size());
    std::vector<Node> all;
    for (int level = height - 1; level >= 0; level--) {
        int below = int(all.size() + levels[level].size()); // where the children begin
        for (Node node : levels[level]) {
            for (int &child : node.child) child += level ? below : 0;
            all.push_back(node);
        }
    }
    for (int &k : all[0].keys) k = k == all[0].keys[0] ? INT32_MIN : k; // the root leads all keys to some child
    return all;
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "btree", "searches in a B+ tree");
    int n = sample.pick(5000, 1000000, 8000000), queries = sample.pick(200, 20000, 200000), length = 500, height;
    Random random;
    std::vector<int> keys, wanted;
    for (int i = 0, key = 0; i < n; i++) keys.push_back(key += 1 + random.below(4));
    for (int i = 0; i < queries; i++) wanted.push_back(1 + random.below(keys.back()));
    std::vector<Node> nodes = build(keys, height);
    std::vector<int> records(queries), counts(queries);
    DeviceArray<Node> dnodes(nodes);
    DeviceArray<int> dkeys(wanted), drecords(queries), dcounts(queries);
    Version cuda = {[] {}, [&] {
                        find<<<queries, ORDER>>>(dnodes, height, dkeys, drecords);
                        count_range<<<queries, ORDER>>>(dnodes, int(nodes.size()), height, dkeys, length, dcounts);
                    }};
    Version openmp = {[] {}, [&] { search_openmp(nodes, height, wanted, length, records.data(), counts.data()); }};
    sample.run(cuda, openmp);
    sample.compare("records", drecords.get(), records);
    sample.compare("counts", dcounts.get(), counts);
    return sample.done();
}
