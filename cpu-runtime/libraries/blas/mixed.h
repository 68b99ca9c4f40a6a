/* mixed.h: elements whose type is an argument, and products of matrices that are of one type (mixed.c). */
#ifndef CUCPU_LIBRARIES_MIXED_H
#define CUCPU_LIBRARIES_MIXED_H
#include "blas.h"

size_t blas_size_of(cudaDataType t); /* bytes, 0 = not known here */
double blas_load(const void *p, cudaDataType t, size_t i);
/* Rounded to nearest, integers modulo 2^32, 8-bit floats at most the largest number. */
void blas_store(void *p, cudaDataType t, size_t i, double x);
bool blas_is_fp8(cudaDataType t);
/* The type that a product is computed in, or -1: there is none for these.  cuBLAS's table has no others. */
int blas_type_of_sum(cublasComputeType_t compute, cudaDataType a, cudaDataType b, cudaDataType c);
cudaDataType blas_type_of_scalars(cublasComputeType_t compute, int sum);
void blas_read_scalar(Scalar *to, cudaDataType sum, const void *p, cudaDataType t);
bool blas_is_zero(const Scalar *s, cudaDataType t);
/* to = alpha op[0](a) op[1](b) + beta to; op as in cblas, n = rows, columns, terms. */
void blas_multiply(cudaDataType sum, const int op[2], const int n[3], const Scalar *alpha, const void *a, int lda,
                   const void *b, int ldb, const Scalar *beta, void *to, int ldc);
#endif
