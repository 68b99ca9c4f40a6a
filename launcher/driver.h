/* driver.h: from Options to finished outputs. */
#ifndef CUCPU_LAUNCHER_DRIVER_H
#define CUCPU_LAUNCHER_DRIVER_H
#include "launcher/options.h"

/* The exit status of cucpu: that of the first stage that failed, or, with --run, of the program;
** -signal when a signal ended it. */
int driver_run(Options *o);
#endif
