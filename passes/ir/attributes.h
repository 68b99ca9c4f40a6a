/* attributes.h: attributes of kernels and other functions (names.h). */
#ifndef CUCPU_ATTRIBUTES_H
#define CUCPU_ATTRIBUTES_H
#include "passes/ir/names.h"

typedef enum Layout { LAYOUT_ROWS_FULL, LAYOUT_ROWS, LAYOUT_GENERAL } Layout; /* as in abi.h */

bool is_kernel(LLVMValueRef fn);
/* The function calls one of first..last. */
bool calls_name(LLVMValueRef fn, Name first, Name last);
bool reads_thread_id(LLVMValueRef kernel, int dimension); /* reads threadIdx.x, .y or .z */
bool fn_has_attr(LLVMValueRef fn, const char *key);
const char *fn_attr(LLVMValueRef fn, const char *key, unsigned *len); /* NULL = absent */
long fn_attr_int(LLVMValueRef fn, const char *key, long absent);
void fn_attr_three(LLVMValueRef fn, const char *key, unsigned v[3]); /* "x,y,z"; zeros if absent */
/* Parameters that the launch has; fields of them may follow as parameters of their own (split_parameters). */
unsigned launch_parameters(LLVMValueRef kernel);
/* Parameter i of the kernel is such a field; of which parameter, and how many bytes after its start. */
bool is_field_parameter(LLVMValueRef kernel, unsigned i, unsigned *parameter, unsigned *offset);
void fn_set_attr(LLVMValueRef fn, const char *key, const char *value);
/* CALL_RESOLVED of an indirect call that resolve_calls has left for functions of other modules; NULL: it is none. */
const char *resolved_targets(LLVMValueRef call, unsigned *len);
void set_resolved_targets(LLVMValueRef call, const char *names, unsigned len);
void fn_remove_attr(LLVMValueRef fn, const char *key);
#endif
