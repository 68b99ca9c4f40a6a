#define COPY_ "mov.u32 %0, "
inline __device__ unsigned from_header() {
    unsigned lane;
    asm("mov.u32 %0, %laneid;" : "=r"(lane));
    return lane;
}
