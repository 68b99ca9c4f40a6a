/* metrics.h: counts of kernels compiled with --profile=lanes, as nvprof prints metrics. */
#ifndef CUCPU_LAUNCHER_METRICS_H
#define CUCPU_LAUNCHER_METRICS_H
#include "launcher/profile/tables.h"

/* NULL: all of the list (`all`, or names separated by commas) are known; else the first one that is not. */
const char *metrics_unknown(const char *list);
void metrics_help(FILE *out);
/* The table of these metrics from the text of CUCPU_PROFILE's file, or NULL; false: no kernel in it has counts. */
bool metrics_print(const Style *s, const char *list, const char *counts, const char *device);
#endif
