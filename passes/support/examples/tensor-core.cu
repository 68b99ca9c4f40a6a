// options:
__global__ void load_tile(int *tile, const int *x) {
    __hmma_m16n16k16_ld_a(tile, x, 16, 0);
}
