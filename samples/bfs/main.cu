// bfs: distances from one node of a random graph, one launch per level over a frontier queue.
#include "../common/sample.h"
#include <queue>

__global__ void visit(const int *first, const int *edges, int *distance, const int *frontier, int size, int *next,
                      int *next_size, int level) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size) return;
    int node = frontier[i];
    for (int e = first[node]; e < first[node + 1]; e++) {
        int to = edges[e];
        if (atomicCAS(&distance[to], -1, level) == -1) next[atomicAdd(next_size, 1)] = to;
    }
}

int main(int argc, char **argv) {
    int n = sample_size(argc, argv, 500000);
    Numbers numbers;
    std::vector<int> first(n + 1), edges, distance(n, -1), want;
    for (int i = 0; i < n; i++) {
        first[i] = int(edges.size());
        for (int k = numbers.below(9); k >= 0; k--) edges.push_back(numbers.below(n));
    }
    first[n] = int(edges.size());
    distance[0] = 0;
    want = distance;
    DeviceArray<int> dfirst(first), dedges(edges), ddistance(distance), a(n), b(n), counter(1);
    int zero = 0, size = 1, *frontier = a, *next = b;
    CUDA(cudaMemcpy(frontier, &zero, sizeof zero, cudaMemcpyHostToDevice));
    Stopwatch watch;
    for (int level = 1; size > 0; level++, std::swap(frontier, next)) {
        CUDA(cudaMemcpy(counter, &zero, sizeof zero, cudaMemcpyHostToDevice));
        visit<<<(size + 255) / 256, 256>>>(dfirst, dedges, ddistance, frontier, size, next, counter, level);
        CUDA(cudaMemcpy(&size, counter, sizeof size, cudaMemcpyDeviceToHost));
    }
    double ms = watch.stop();
    std::queue<int> queue({0});
    for (; !queue.empty(); queue.pop())
        for (int node = queue.front(), e = first[node]; e < first[node + 1]; e++)
            if (want[edges[e]] < 0) {
                want[edges[e]] = want[node] + 1;
                queue.push(edges[e]);
            }
    auto got = ddistance.get();
    size_t wrong = 0;
    for (int i = 0; i < n; i++) wrong += got[i] != want[i];
    return verdict("bfs", wrong, ms);
}
