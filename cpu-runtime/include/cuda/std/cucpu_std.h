/* cucpu_std.h: cuda::std is std; its constexpr functions work in device code. */
#ifndef CUCPU_CUDA_STD_H
#define CUCPU_CUDA_STD_H
namespace std {}
namespace cuda {
namespace std {
using namespace ::std;
}
} // namespace cuda
#endif
