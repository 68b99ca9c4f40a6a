/* nvvm.h: cucpu nvvm. */
#ifndef CUCPU_LAUNCHER_NVVM_H
#define CUCPU_LAUNCHER_NVVM_H

int compile_nvvm(char **argv); /* the words after `nvvm`; the exit status */
#endif
