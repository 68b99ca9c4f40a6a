/* fault.h: what a signal in a kernel means. */
#ifndef CUCPU_FAULT_H
#define CUCPU_FAULT_H
#include "base/base.h"

/* ---- operand.c: context: of a signal handler ---- */
/* The error that a SIGSEGV stands for; *address where the signal does not have it. */
cudaError_t rt_explain_fault(const void *context, void **address);
uintptr_t rt_stack_pointer(const void *context);
uintptr_t rt_program_counter(const void *context);

/* ---- fault.c ---- */
/* f is told of each barrier of a "block", or function of a "warp", that cannot be met, or loop (NULL) that polls in
** vain; then the kernel ends. */
void rt_on_stuck(void (*f)(const char *what, const char *file, uint32_t line));
/* f says whether threads that poll wait in vain: they are reported, and the kernel ends. */
void rt_on_poll(bool (*f)(void));
bool rt_polls_in_vain(void);
void rt_tell_stuck(const char *what, const char *file, uint32_t line);

/* ---- line.c ---- */
/* "file:line" of the instruction; false: there is no table. */
bool rt_source_line(uintptr_t pc, char *text, size_t bytes);
#endif
