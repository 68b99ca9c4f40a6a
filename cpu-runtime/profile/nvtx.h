/* nvtx.h: ranges and marks of NVTX. */
#ifndef CUCPU_PROFILE_NVTX_H
#define CUCPU_PROFILE_NVTX_H
void rt_inject_nvtx(void); /* programs with NVIDIA's header-only NVTX find this library */
void rt_close_nvtx(void);  /* what this thread has begun ends now */
#endif
