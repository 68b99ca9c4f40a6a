// sad: motion estimation of a video encoder: sums of absolute differences of each 4 x 4 block at all positions of a
// search window, then those of 8 x 8 blocks from them, and the best motion vector of each 8 x 8 block.
#include "../common/picture.h"

constexpr int RANGE = 16, SIDE = 2 * RANGE + 1, POSITIONS = SIDE * SIDE;

/* block (x, y): a 4 x 4 block of the frame; its threads: positions; the reference has a border of RANGE pixels */
__global__ void sad4(const unsigned char *frame, const unsigned char *reference, unsigned short *sums, int width) {
    __shared__ int block[16];
    int bx = blockIdx.x * 4, by = blockIdx.y * 4, pitch = width + 2 * RANGE;
    if (threadIdx.x < 16) block[threadIdx.x] = frame[(by + threadIdx.x / 4) * width + bx + threadIdx.x % 4];
    __syncthreads();
    for (int p = threadIdx.x; p < POSITIONS; p += blockDim.x) {
        const unsigned char *r = reference + (by + p / SIDE) * pitch + bx + p % SIDE;
        int sum = 0;
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 4; x++) sum += abs(block[4 * y + x] - r[y * pitch + x]);
        sums[(blockIdx.y * gridDim.x + blockIdx.x) * POSITIONS + p] = sum;
    }
}

/* block (x, y): an 8 x 8 block: adds its four 4 x 4 blocks and finds the least sum; ties: the lower position */
__global__ void best8(const unsigned short *sums, int *best, int blocks4) {
    __shared__ int least;
    if (threadIdx.x == 0) least = 1 << 30;
    __syncthreads();
    const unsigned short *s = sums + (2 * blockIdx.y * blocks4 + 2 * blockIdx.x) * POSITIONS;
    int mine = 1 << 30;
    for (int p = threadIdx.x; p < POSITIONS; p += blockDim.x) {
        const unsigned short *below = s + blocks4 * POSITIONS;
        int sum = s[p] + s[POSITIONS + p] + below[p] + below[POSITIONS + p];
        mine = min(mine, sum << 11 | p);
    }
    atomicMin(&least, mine);
    __syncthreads();
    if (threadIdx.x == 0) best[blockIdx.y * gridDim.x + blockIdx.x] = least;
}

static void sad_openmp(const unsigned char *frame, const unsigned char *reference, int *best, int width, int height) {
    int pitch = width + 2 * RANGE;
#pragma omp parallel for collapse(2)
    for (int by = 0; by < height / 8; by++)
        for (int bx = 0; bx < width / 8; bx++) {
            int least = 1 << 30;
            for (int p = 0; p < POSITIONS; p++) {
                const unsigned char *f = frame + by * 8 * width + bx * 8;
                const unsigned char *r = reference + (by * 8 + p / SIDE) * pitch + bx * 8 + p % SIDE;
                int sum = 0;
                for (int y = 0; y < 8; y++)
#pragma omp simd reduction(+ : sum)
                    for (int x = 0; x < 8; x++) sum += std::abs(f[y * width + x] - r[y * pitch + x]);
                least = std::min(least, sum << 11 | p);
            }
            best[by * (width / 8) + bx] = least;
        }
}

/* A texture that turns and grows around the centre. */
static unsigned char scene(float x, float y, float angle) {
    float s = std::sin(angle), c = std::cos(angle), u = 1.02f * (c * x - s * y), v = 1.02f * (s * x + c * y);
    float f = std::sin(0.11f * u) + std::cos(0.13f * v) + std::sin(0.05f * (u + v)) * std::sin(0.31f * u - 0.2f * v);
    return (unsigned char)(128 + 40 * f);
}

int main(int argc, char **argv) {
    Sample sample(argc, argv, "sad", "motion estimation for video", PICTURE);
    int width = sample.pick(48, 352, 1920), height = sample.pick(32, 288, 1080), pitch = width + 2 * RANGE;
    std::vector<unsigned char> frame(size_t(width) * height), reference(size_t(pitch) * (height + 2 * RANGE));
    float cx = 0.5f * float(width), cy = 0.5f * float(height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) frame[y * width + x] = scene(float(x) - cx, float(y) - cy, 0.06f);
    for (int y = 0; y < height + 2 * RANGE; y++)
        for (int x = 0; x < pitch; x++)
            reference[y * pitch + x] = scene(float(x - RANGE) - cx, float(y - RANGE) - cy, 0);
    dim3 blocks4(width / 4, height / 4), blocks8(width / 8, height / 8);
    std::vector<int> want(blocks8.x * blocks8.y);
    DeviceArray<unsigned char> dframe(frame), dreference(reference);
    DeviceArray<unsigned short> sums(size_t(blocks4.x) * blocks4.y * POSITIONS);
    DeviceArray<int> best(want.size());
    Version cuda = {[&] { best.zero(); },
                    [&] {
                        sad4<<<blocks4, 128>>>(dframe, dreference, sums, width);
                        best8<<<blocks8, 128>>>(sums, best, int(blocks4.x));
                    }};
    sample.run(cuda, {[] {}, [&] { sad_openmp(frame.data(), reference.data(), want.data(), width, height); }});
    auto got = best.get();
    sample.compare("motion vectors", got, want);
    if (sample.picture) { // the frame with its motion vectors
        Picture p(width, height);
        for (int i = 0; i < width * height; i++) p.set(i % width, i / width, grey(0.6f * float(frame[i]) / 255));
        for (int by = 0; by < int(blocks8.y); by += 2)
            for (int bx = 0; bx < int(blocks8.x); bx += 2) {
                int position = got[by * int(blocks8.x) + bx] & 2047;
                int dx = position % SIDE - RANGE, dy = position / SIDE - RANGE;
                for (int k = 0; k <= 32; k++)
                    p.set(8 * bx + 4 + dx * k / 32, 8 * by + 4 + dy * k / 32, k < 4 ? grey(1) : heat(0.65f));
            }
        p.write(sample);
    }
    return sample.done();
}
