/* cpu_features.h: instruction sets, as bits of CucpuModule.cpu_features. */
#ifndef CUCPU_CPU_FEATURES_H
#define CUCPU_CPU_FEATURES_H
#include <stddef.h>
#include <stdint.h>

uint64_t rt_cpu_features(void);                                  /* of this machine */
void rt_name_cpu_features(uint64_t set, char *out, size_t size); /* "avx2, fma" */
#endif
