/* fault.h: what a signal in a kernel means. */
#ifndef CUCPU_FAULT_H
#define CUCPU_FAULT_H
#include "base/base.h"

/* ---- operand.c: context: of a signal handler ---- */
/* The error that a SIGSEGV stands for; *address where the signal does not have it. */
cudaError_t rt_explain_fault(const void *context, void **address);
uintptr_t rt_stack_pointer(const void *context);
uintptr_t rt_program_counter(const void *context);

/* ---- line.c ---- */
/* "file:line" of the instruction; false: there is no table. */
bool rt_source_line(uintptr_t pc, char *text, size_t bytes);
#endif
