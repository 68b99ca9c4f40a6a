// What nvcc makes visible without an #include is visible here, in both halves (and printf, assert).
// RUN: %host %s > /dev/null
// RUN: %device %s > /dev/null
__global__ void kernel(float *out, int n) {
    int sum = 0;
    for (int i : {1, 2, 3}) sum += i;
    out[0] = (float)max(sum, n) + INFINITY * (n > INT_MAX - 1) + (float)M_PI;
    out[1] = std::sqrt(out[0]) + std::abs(-1.5f);
    memset(out + 2, 0, sizeof(float));
    memcpy(out + 3, out, sizeof(float));
    size_t bytes = CHAR_BIT < SIZE_MAX ? CHAR_BIT : sizeof(uint32_t);
    char *p = (char *)malloc(bytes);
    if (p == NULL) return;
    free(p);
    printf("%d\n", n);
    assert(n > 0);
}

int main(int argc, char **argv) {
    cudaDataType_t of_library = CUDA_R_16F;
    if (of_library == CUDA_R_32F) return MAJOR_VERSION;
    char text[8];
    memset(text, 0, sizeof text);
    std::initializer_list<int> list = {1, 2};
    srand(1);
    int n = std::min(argc, rand() % 5) + abs(-argc) + (int)list.size() + (int)strlen(argv[0]);
    std::swap(n, argc);
    if (std::isnan(std::sqrt((double)n)) || clock() < 0 || time(NULL) == 0) exit(1);
    std::pair<int, int> both(1, std::exchange(argc, 2));
    return atoi("1") + std::move(both.first) + (std::numeric_limits<int>::max() == INT_MAX);
}
