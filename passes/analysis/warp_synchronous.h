/* warp_synchronous.h: accesses of programs without __syncwarp by which the threads of a warp exchange values.
**
** They rely on the warp's lanes running in lockstep: each lane has done an access before any does the next. CUDA has
** not promised that since Volta, but older code still does so, and works there. Such are all volatile accesses of
** shared memory, and those of global memory, or of memory that may be either, in a block of the control flow graph that
** stores to one element of an array and loads another, as a reduction within a warp does; a flag that others poll is no
** such exchange. Accesses that are not volatile in the source are made so by detect_warp_synchronous. */
#ifndef CUCPU_WARP_SYNCHRONOUS_H
#define CUCPU_WARP_SYNCHRONOUS_H
#include "passes/analysis/memory_spaces.h"

/* polls: the kernel has loops that wait for other threads (CUCPU_KERNEL_POLLS): its accesses of global memory are
** none. */
bool is_warp_synchronous(const MemorySpaces *memory, LLVMValueRef access, bool polls);
#endif
