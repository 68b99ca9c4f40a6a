/* reports.h: the reports of nsys stats over a file that nsys profile or nvprof -o has written. */
#ifndef CUCPU_LAUNCHER_REPORTS_H
#define CUCPU_LAUNCHER_REPORTS_H
#include <stdbool.h>
#include <stdio.h>

typedef enum Format { FORMAT_COLUMN, FORMAT_CSV, FORMAT_TSV } Format;
bool report_known(const char *name);
void report_list(FILE *out);
extern const char *const default_reports[]; /* up to NULL */
/* NULL, or what went wrong. */
const char *reports_print(FILE *out, const char *file, const char *const *names, Format format);
#endif
