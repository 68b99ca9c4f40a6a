/* dct.c: the DCT of dct.cu as one would write it with OpenMP. */
void dct_omp(const float *in, const float *c, float *out, int n, int size, int inverse) {
#pragma omp parallel for
    for (int block = 0; block < n / size * (n / size); block++) {
        int left = block % (n / size) * size, top = block / (n / size) * size;
        float inter[64];
        for (int j = 0; j < size; j++)
            for (int i = 0; i < size; i++) {
                float sum = 0;
                for (int k = 0; k < size; k++)
                    sum += c[inverse ? i * size + k : k * size + i] * in[(top + j) * n + left + k];
                inter[j * size + i] = sum;
            }
        for (int j = 0; j < size; j++)
            for (int i = 0; i < size; i++) {
                float sum = 0;
                for (int k = 0; k < size; k++)
                    sum += inter[k * size + i] * c[inverse ? j * size + k : k * size + j];
                out[(top + j) * n + left + i] = sum;
            }
    }
}
