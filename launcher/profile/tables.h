/* tables.h: what was recorded, as nvprof prints it. */
#ifndef CUCPU_LAUNCHER_TABLES_H
#define CUCPU_LAUNCHER_TABLES_H
#include "launcher/profile/records.h"
#include <stdio.h>

typedef enum Unit { UNIT_AUTO, UNIT_COLUMN, UNIT_S, UNIT_MS, UNIT_US, UNIT_NS } Unit;
typedef struct Style {
    FILE *out;
    bool csv;
    bool mangled; /* --demangling off */
    Unit unit;
} Style;

/* Of the groups whose flags are set; nothing where nothing was recorded. */
void print_summary(const Style *s, const Process *p, bool gpu, bool api);
void print_gpu_trace(const Style *s, const Process *p);
void print_api_trace(const Style *s, const Process *p);
void print_kernels(const Style *s, const Process *p); /* how they ran on this CPU */
#endif
