/* curand_mtgp32.h: parameters and states of MTGP32 (Saito and Matsumoto 2012) in device code. */
#ifndef CUCPU_CURAND_MTGP32_H
#define CUCPU_CURAND_MTGP32_H
#define MTGP32_MEXP 11213
#define MTGP32_N 351
#define MTGP32_FLOOR_2P 256
#define MTGP32_CEIL_2P 512
#define MTGP32_TN MTGP32_FLOOR_2P
#define MTGP32_LS (MTGP32_TN * 3)
#define MTGP32_TS 16
#define MTGP32_STATE_SIZE 1024
#define MTGP32_STATE_MASK 1023
#define CURAND_NUM_MTGP32_PARAMS 200
#define MTGP32_MAX_BLOCKS 512

/* A parameter set.  poly_sha1 is empty here. */
typedef struct mtgp32_params_fast {
    int mexp, pos, sh1, sh2;
    unsigned int tbl[MTGP32_TS], tmp_tbl[MTGP32_TS], flt_tmp_tbl[MTGP32_TS], mask;
    unsigned char poly_sha1[21];
} mtgp32_params_fast_t;

/* All of them, as kernels read them. */
typedef struct mtgp32_kernel_params {
    unsigned int pos_tbl[CURAND_NUM_MTGP32_PARAMS];
    unsigned int param_tbl[CURAND_NUM_MTGP32_PARAMS][MTGP32_TS];
    unsigned int temper_tbl[CURAND_NUM_MTGP32_PARAMS][MTGP32_TS];
    unsigned int single_temper_tbl[CURAND_NUM_MTGP32_PARAMS][MTGP32_TS];
    unsigned int sh1_tbl[CURAND_NUM_MTGP32_PARAMS], sh2_tbl[CURAND_NUM_MTGP32_PARAMS], mask[1];
} mtgp32_kernel_params_t;

/* One for a block. */
typedef struct curandStateMtgp32 {
    unsigned int s[MTGP32_STATE_SIZE];
    int offset, pIdx;
    mtgp32_kernel_params_t *k;
} curandStateMtgp32_t;
typedef curandStateMtgp32_t curandStateMtgp32;
#endif
