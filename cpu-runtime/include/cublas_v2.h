/* cublas_v2.h: cuBLAS (cublas_api.h). */
#ifndef CUCPU_CUBLAS_V2_H
#define CUCPU_CUBLAS_V2_H
#define CUBLAS_V2_H_ /* programs ask for it */
#include "cublas_api.h"
#endif
