// backprop: one step of training of a network with one hidden layer of 16 units: forward pass by partial sums of tiles
// of 16 inputs, then the adjustment of the weights with momentum.
#include "../common/sample.h"

constexpr int HIDDEN = 16, TILE = 16;
constexpr float RATE = 0.3f, MOMENTUM = 0.3f;

__host__ __device__ inline float squash(float x) { return 1 / (1 + expf(-x)); }

/* weights: inputs x HIDDEN; block b adds the inputs of its tile to partial[b * HIDDEN + j] */
__global__ void forward(const float *input, const float *weights, float *partial) {
    __shared__ float in[TILE], products[TILE][HIDDEN];
    int j = threadIdx.x, i = threadIdx.y, at = blockIdx.x * TILE + i;
    if (j == 0) in[i] = input[at];
    __syncthreads();
    products[i][j] = weights[at * HIDDEN + j] * in[i];
    __syncthreads();
    for (int half = TILE / 2; half > 0; half /= 2) {
        if (i < half) products[i][j] += products[i + half][j];
        __syncthreads();
    }
    if (i == 0) partial[blockIdx.x * HIDDEN + j] = products[0][j];
}

__global__ void adjust(const float *input, const float *delta, float *weights, float *last) {
    int j = threadIdx.x, at = blockIdx.x * TILE + threadIdx.y, w = at * HIDDEN + j;
    float change = RATE * delta[j] * input[at] + MOMENTUM * last[w];
    weights[w] += change;
    last[w] = change;
}

/* The small rest: the hidden units' values, the single output and the errors. */
struct Output {
    float hidden[HIDDEN], out_weights[HIDDEN], delta[HIDDEN], error;
    void compute(const float *sums, float target) {
        float out = 0;
        for (int j = 0; j < HIDDEN; j++) out += out_weights[j] * (hidden[j] = squash(sums[j]));
        out = squash(out);
        float out_delta = out * (1 - out) * (target - out);
        error = std::fabs(target - out);
        for (int j = 0; j < HIDDEN; j++) {
            delta[j] = hidden[j] * (1 - hidden[j]) * out_weights[j] * out_delta;
            out_weights[j] += RATE * out_delta * hidden[j];
        }
    }
};

static void train_openmp(const float *input, float *weights, float *last, int n, Output &o, float target) {
    float sums[HIDDEN] = {};
#pragma omp parallel for reduction(+ : sums)
    for (int i = 0; i < n; i++)
#pragma omp simd
        for (int j = 0; j < HIDDEN; j++) sums[j] += weights[i * HIDDEN + j] * input[i];
    o.compute(sums, target);
    const float *delta = o.delta;
#pragma omp parallel for
    for (int i = 0; i < n; i++)
#pragma omp simd
        for (int j = 0; j < HIDDEN; j++) {
            float change = RATE * delta[j] * input[i] + MOMENTUM * last[i * HIDDEN + j];
            weights[i * HIDDEN + j] += change;
            last[i * HIDDEN + j] = change;
        }
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "backprop", "training of a neural network");
    int n = sample.pick(512, 65536, 1 << 22), steps = 4;
    Random random;
    std::vector<float> input(n), weights(size_t(n) * HIDDEN), last(weights.size()), want, want_last;
    for (float &v : input) v = random.next();
    for (float &v : weights) v = random.next(-1, 1) / std::sqrt(float(n));
    Output initial = {}, a, b;
    for (float &w : initial.out_weights) w = random.next(-1, 1);
    DeviceArray<float> din(input), dweights(weights), dlast(last), partial(size_t(n) / TILE * HIDDEN), delta(HIDDEN);
    std::vector<float> parts(size_t(n) / TILE * HIDDEN);
    Version cuda = {[&] { dweights.set(weights), dlast.zero(), a = initial; },
                    [&] {
                        for (int s = 0; s < steps; s++) {
                            forward<<<n / TILE, dim3(HIDDEN, TILE)>>>(din, dweights, partial);
                            CUDA(cudaMemcpy(parts.data(), partial, parts.size() * 4, cudaMemcpyDeviceToHost));
                            float sums[HIDDEN] = {};
                            for (size_t i = 0; i < parts.size(); i++) sums[i % HIDDEN] += parts[i];
                            a.compute(sums, 0.1f);
                            CUDA(cudaMemcpy(delta, a.delta, sizeof a.delta, cudaMemcpyHostToDevice));
                            adjust<<<n / TILE, dim3(HIDDEN, TILE)>>>(din, delta, dweights, dlast);
                        }
                    }};
    Version openmp = {[&] { want = weights, want_last = last, b = initial; },
                      [&] {
                          for (int s = 0; s < steps; s++)
                              train_openmp(input.data(), want.data(), want_last.data(), n, b, 0.1f);
                      }};
    sample.run(cuda, openmp);
    sample.compare("weights", dweights.get(), want, 1e-4);
    sample.compare("errors", std::vector<float>{a.error}, std::vector<float>{b.error}, 1e-3);
    return sample.done();
}
