/* cuda/scope.h: cuda::thread_scope.  On a CPU all scopes are the same. */
#ifndef CUCPU_CUDA_SCOPE_H
#define CUCPU_CUDA_SCOPE_H
namespace cuda {
enum thread_scope {
    thread_scope_system = 0,
    thread_scope_device = 1,
    thread_scope_block = 2,
    thread_scope_thread = 10
};
} // namespace cuda
#endif
