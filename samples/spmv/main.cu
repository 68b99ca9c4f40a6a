// spmv: y = A x for a sparse matrix in the format JDS: rows sorted by length, elements by diagonals, so that threads
// read neighbouring elements.
#include "../common/sample.h"
#include <numeric>

struct Rows { // CSR: the elements of row i are first[i] .. first[i + 1] - 1
    std::vector<int> first, column;
    std::vector<float> value;
    int size() const { return int(first.size()) - 1; }
};

struct Diagonals { // JDS: element d of the sorted row i is start[d] + i
    std::vector<int> permutation, length, start, column;
    std::vector<float> value;
    explicit Diagonals(const Rows &m) : permutation(m.size()), length(m.size()) {
        auto longer = [&](int a, int b) { return m.first[a + 1] - m.first[a] > m.first[b + 1] - m.first[b]; };
        std::iota(permutation.begin(), permutation.end(), 0);
        std::sort(permutation.begin(), permutation.end(), longer);
        for (int i = 0; i < m.size(); i++) length[i] = m.first[permutation[i] + 1] - m.first[permutation[i]];
        for (int d = 0; d < length[0]; d++) {
            start.push_back(int(value.size()));
            for (int i = 0; i < m.size() && length[i] > d; i++) {
                value.push_back(m.value[m.first[permutation[i]] + d]);
                column.push_back(m.column[m.first[permutation[i]] + d]);
            }
        }
    }
};

__global__ void spmv(const int *permutation, const int *length, const int *start, const int *column,
                     const float *value, const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int d = 0; d < length[i]; d++) {
        int at = start[d] + i;
        sum += value[at] * x[column[at]];
    }
    y[permutation[i]] = sum;
}

static void spmv_openmp(const Rows &m, const float *x, float *y) {
    const int *first = m.first.data(), *column = m.column.data();
    const float *value = m.value.data();
#pragma omp parallel for schedule(static, 256)
    for (int i = 0; i < m.size(); i++) {
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int k = first[i]; k < first[i + 1]; k++) sum += value[k] * x[column[k]];
        y[i] = sum;
    }
}

/* A band of random elements, as finite elements give it, and a few far from the diagonal. */
static Rows random_matrix(int n) {
    Random random;
    Rows m;
    for (int i = 0; i < n; i++) {
        m.first.push_back(int(m.value.size()));
        for (int k = 4 + random.below(28); k > 0; k--) {
            int near = std::min(std::max(i + random.below(400) - 200, 0), n - 1);
            m.column.push_back(random.next() < 0.02f ? random.below(n) : near);
            m.value.push_back(random.next(-1, 1));
        }
    }
    m.first.push_back(int(m.value.size()));
    return m;
}

/* "%%MatrixMarket matrix coordinate real general|symmetric", rows, columns, elements; then row, column, value. */
static Rows read_matrix(const Sample &sample) {
    Reader reader(sample);
    std::string line;
    reader.line(line);
    bool symmetric = line.find("symmetric") != std::string::npos, pattern = line.find("pattern") != std::string::npos;
    if (line.rfind("%%MatrixMarket matrix coordinate", 0)) reader.fail("this is no sparse matrix of Matrix Market");
    while (reader.line(line) && line[0] == '%') continue;
    int n = 0, columns = 0, count = 0;
    if (std::sscanf(line.c_str(), "%d %d %d", &n, &columns, &count) != 3 || n < 1 || n != columns || count < 1)
        reader.fail("the matrix is not square, or has no size");
    std::vector<std::vector<std::pair<int, float>>> rows(n);
    for (int k = 0; k < count; k++) {
        int i = reader.integer(1, n) - 1, j = reader.integer(1, n) - 1;
        float v = pattern ? 1 : reader.number();
        rows[i].push_back({j, v});
        if (symmetric && i != j) rows[j].push_back({i, v});
    }
    Rows m;
    for (auto &row : rows) {
        m.first.push_back(int(m.value.size()));
        for (auto &element : row) m.column.push_back(element.first), m.value.push_back(element.second);
    }
    m.first.push_back(int(m.value.size()));
    return m;
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "spmv", "sparse matrix times vector", INPUT, "a square sparse matrix of Matrix Market");
    Rows m = sample.input ? read_matrix(sample) : random_matrix(sample.pick(3000, 150000, 2000000));
    int n = m.size();
    Diagonals d(m);
    Random random;
    std::vector<float> x(n), want(n);
    for (float &v : x) v = random.next(-1, 1);
    DeviceArray<int> permutation(d.permutation), length(d.length), start(d.start), column(d.column);
    DeviceArray<float> value(d.value), dx(x), y(n);
    Version cuda = {[&] { y.zero(); }, [&] {
                        spmv<<<divide_up(n, 128), 128>>>(permutation, length, start, column, value, dx, y, n);
                    }};
    sample.run(cuda, {[] {}, [&] { spmv_openmp(m, x.data(), want.data()); }});
    sample.compare("elements", y.get(), want, 1e-4);
    return sample.done();
}
