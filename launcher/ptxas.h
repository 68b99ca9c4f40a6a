/* ptxas.h: the command ptxas. */
#ifndef CUCPU_LAUNCHER_PTXAS_H
#define CUCPU_LAUNCHER_PTXAS_H

int assemble_ptx(char **argv); /* the words after the name; the exit status */
#endif
