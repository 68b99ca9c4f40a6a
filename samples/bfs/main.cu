// bfs: distances from one node of a graph, one launch per level over a frontier queue.
#include "../common/sample.h"

struct Graph { // the edges of node i are edges[first[i]] .. edges[first[i + 1] - 1]
    std::vector<int> first, edges;
    int source = 0;
    int nodes() const { return int(first.size()) - 1; }
};

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

static void bfs_openmp(const Graph &g, std::vector<int> &distance) {
    std::vector<int> frontier{g.source}, next(distance.size());
    for (int level = 1, size = 1; size > 0; level++) {
        int found = 0;
#pragma omp parallel for schedule(dynamic, 256)
        for (int i = 0; i < size; i++)
            for (int e = g.first[frontier[i]]; e < g.first[frontier[i] + 1]; e++) {
                int to = g.edges[e], unvisited = -1;
                if (distance[to] != -1) continue;
                if (!__atomic_compare_exchange_n(&distance[to], &unvisited, level, false, __ATOMIC_RELAXED,
                                                 __ATOMIC_RELAXED))
                    continue;
                int at;
#pragma omp atomic capture
                at = found++;
                next[at] = to;
            }
        frontier.assign(next.begin(), next.begin() + (size = found));
    }
}

static Graph random_graph(int n) {
    Graph g;
    Random random;
    for (int i = 0; i < n; i++) {
        g.first.push_back(int(g.edges.size()));
        for (int k = random.below(9); k >= 0; k--) g.edges.push_back(random.below(n));
    }
    g.first.push_back(int(g.edges.size()));
    return g;
}

/* The format of Rodinia's data: number of nodes, first edge and degree of each; source; number of edges, target and
** weight of each. */
static Graph read_graph(const Sample &sample) {
    Reader reader(sample);
    Graph g;
    int n = reader.integer(1, 1 << 28), sum = 0;
    for (int i = 0; i < n; i++) {
        if (reader.integer(0, 1 << 30) != sum) reader.fail("the edges of the nodes are not in order");
        g.first.push_back(sum);
        sum += reader.integer(0, 1 << 24);
    }
    g.first.push_back(sum);
    g.source = reader.integer(0, n - 1);
    if (reader.integer(0, 1 << 30) != sum) reader.fail("the number of edges is not the sum of the degrees");
    for (int e = 0; e < sum; e++) {
        g.edges.push_back(reader.integer(0, n - 1));
        reader.integer(-(1 << 30), 1 << 30);
    }
    return g;
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "bfs", "distances in a graph", INPUT, "a graph, as Rodinia's files have it");
    Graph g = sample.input ? read_graph(sample) : random_graph(sample.pick(3000, 500000, 4000000));
    const int n = g.nodes();
    std::vector<int> initial(n, -1), want, source{g.source};
    initial[g.source] = 0;
    DeviceArray<int> first(g.first), edges(g.edges), distance(n), a(n), b(n), counter(1);
    auto cuda_bfs = [&] {
        int size = 1, *frontier = a, *next = b;
        CUDA(cudaMemcpy(frontier, &g.source, sizeof(int), cudaMemcpyHostToDevice));
        for (int level = 1; size > 0; level++, std::swap(frontier, next)) {
            CUDA(cudaMemset(counter, 0, sizeof(int)));
            visit<<<divide_up(size, 256), 256>>>(first, edges, distance, frontier, size, next, counter, level);
            CUDA(cudaMemcpy(&size, counter, sizeof size, cudaMemcpyDeviceToHost));
        }
    };
    sample.run({[&] { distance.set(initial); }, cuda_bfs}, {[&] { want = initial; }, [&] { bfs_openmp(g, want); }});
    sample.compare("distances", distance.get(), want);
    return sample.done();
}
