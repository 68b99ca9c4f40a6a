// nw: Needleman and Wunsch's global alignment of two sequences: the score table, one diagonal of tiles per launch.
#include "../common/picture.h"

constexpr int TILE = 32, GAP = 2;

__host__ __device__ inline int match(char a, char b) { return a == b ? 3 : -1; }

/* table has n + 1 columns; the tiles (tx, ty) of a launch have tx + ty == diagonal */
__global__ void align(int *table, const char *a, const char *b, int n, int diagonal, int first) {
    __shared__ int s[TILE + 1][TILE + 1];
    int t = threadIdx.x, tx = first + blockIdx.x, ty = diagonal - tx;
    int *corner = table + ty * TILE * (n + 1) + tx * TILE;
    s[0][t + 1] = corner[t + 1];
    s[t + 1][0] = corner[(t + 1) * (n + 1)];
    if (t == 0) s[0][0] = corner[0];
    __syncthreads();
    for (int d = 0; d < 2 * TILE - 1; d++) {
        int x = t + 1, y = d - t + 1;
        if (y >= 1 && y <= TILE) {
            int diagonal_score = s[y - 1][x - 1] + match(a[ty * TILE + y - 1], b[tx * TILE + x - 1]);
            s[y][x] = max(diagonal_score, max(s[y - 1][x], s[y][x - 1]) - GAP);
        }
        __syncthreads();
    }
    for (int y = 1; y <= TILE; y++) corner[y * (n + 1) + t + 1] = s[y][t + 1];
}

/* Tiles along a diagonal are independent; in a tile a row follows the row above. */
static void align_openmp(int *table, const char *a, const char *b, int n) {
    int tiles = n / TILE;
    for (int d = 0; d < 2 * tiles - 1; d++) {
#pragma omp parallel for
        for (int tx = std::max(0, d - tiles + 1); tx <= std::min(d, tiles - 1); tx++)
            for (int y = (d - tx) * TILE + 1; y <= (d - tx + 1) * TILE; y++)
                for (int x = tx * TILE + 1; x <= (tx + 1) * TILE; x++) {
                    int *at = table + y * (n + 1) + x;
                    *at = std::max(at[-n - 2] + match(a[y - 1], b[x - 1]), std::max(at[-n - 1], at[-1]) - GAP);
                }
    }
}

/* The table as a map of scores, the alignment in white. */
static void draw(const Sample &sample, const std::vector<int> &table, const std::string &a, const std::string &b, int n) {
    int shrink = divide_up(n, 256), size = n / shrink;
    Picture p(size, size);
    auto at = [&](int y, int x) { return table[size_t(y) * (n + 1) + x]; };
    for (int y = 0; y < size; y++)
        for (int x = 0; x < size; x++)
            p.set(x, y, heat(0.5f + 0.5f * float(at(y * shrink, x * shrink)) / float(2 * n)));
    for (int y = n, x = n; y > 0 && x > 0;) {
        p.set(x / shrink, y / shrink, grey(1));
        bool diagonal = at(y, x) == at(y - 1, x - 1) + match(a[y - 1], b[x - 1]);
        bool up = !diagonal && at(y, x) == at(y - 1, x) - GAP;
        if (diagonal || up) y--;
        if (!up) x--;
    }
    p.write(sample);
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "nw", "global alignment of two sequences", PICTURE);
    const int n = sample.pick(128, 2048, 16384), tiles = n / TILE;
    Random random;
    std::string a, b;
    while (int(a.size()) < n) a.push_back("ACGT"[random.below(4)]);
    for (int i = 0; int(b.size()) < n; i++) { // a with some changes, insertions and a deletion
        if (random.next() < 0.1f) b.push_back("ACGT"[random.below(4)]);
        if (i == n / 3) i += n / 12;
        b.push_back(random.next() < 0.2f ? 'A' : a[size_t(i % n)]);
    }
    b.resize(size_t(n));
    std::vector<int> initial(size_t(n + 1) * (n + 1)), table;
    for (int i = 0; i <= n; i++) initial[i] = initial[size_t(i) * (n + 1)] = -GAP * i;
    DeviceArray<int> device(initial);
    DeviceArray<char> da(std::vector<char>(a.begin(), a.end())), db(std::vector<char>(b.begin(), b.end()));
    Version cuda = {[&] { device.set(initial); },
                    [&] {
                        for (int d = 0; d < 2 * tiles - 1; d++) {
                            int first = std::max(0, d - tiles + 1), count = std::min(d, tiles - 1) - first + 1;
                            align<<<count, TILE>>>(device, da, db, n, d, first);
                        }
                    }};
    Version openmp = {[&] { table = initial; }, [&] { align_openmp(table.data(), a.data(), b.data(), n); }};
    sample.run(cuda, openmp);
    sample.compare("scores", device.get(), table);
    if (sample.picture) draw(sample, table, a, b, n);
    return sample.done();
}
