/* debug_record.h: what a debugger finds in the record of a thread (-G).
**
** A record begins with this header; the variables of the source follow. Records of debug information (#dbg_declare) say
** where: at an offset from cucpu.debug.record, or where the pointer there leads to. */
#ifndef CUCPU_DEBUG_RECORD_H
#define CUCPU_DEBUG_RECORD_H
#include <stdint.h>

typedef struct DebugRecord {
    uint32_t thread[3], block[3], block_dim[3], grid_dim[3]; /* threadIdx, blockIdx, blockDim, gridDim */
    uint32_t linear;                                         /* of the thread in its block */
    uint32_t line;                                           /* where it met others last: 0, nowhere yet; or an end */
    uint32_t reserved[2];
} DebugRecord;
#define DEBUG_RETURNED UINT32_MAX
enum { DEBUG_RECORD_ALIGN = 64 };
#endif
