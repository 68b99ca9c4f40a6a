/* report.h: --report=html,json: what the kernel compiler has recorded, as files. */
#ifndef CUCPU_LAUNCHER_REPORT_H
#define CUCPU_LAUNCHER_REPORT_H
#include <stdbool.h>
#include <stddef.h>

typedef struct ReportFiles {
    const char *json, *html; /* NULL: not wanted */
} ReportFiles;

/* CucpuOptions.write_report; files: a ReportFiles. */
bool report_write(void *files, const char *json, size_t size);
#endif
