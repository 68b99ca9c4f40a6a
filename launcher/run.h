/* run.h: cucpu run, cucpu info. */
#ifndef CUCPU_LAUNCHER_RUN_H
#define CUCPU_LAUNCHER_RUN_H

int run_program(char **argv); /* the words after `run`; the exit status where no program has taken this process over */
int print_info(char **argv);
#endif
