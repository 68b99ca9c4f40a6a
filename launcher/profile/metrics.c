/* metrics.c: see metrics.h.
**
** The file is JSON that the runtime has written: a kernel is a line, and the numbers of its widths follow their keys,
** so that a sum over widths is one over the occurrences of a key. */
#include "launcher/profile/metrics.h"
#include "launcher/profile/units.h"
#include "launcher/text.h"
#include <stdlib.h>
#include <string.h>

typedef struct Metric {
    const char *name, *description, *part, *whole;
} Metric;
static const Metric metrics[] = {
#define METRIC(name, description, part, whole) {name, description, part, whole},
#include "launcher/profile/metrics.def"
};
enum { METRICS = sizeof metrics / sizeof *metrics };

static const Metric *find(const char *name) {
    for (size_t i = 0; i < METRICS; i++)
        if (!strcmp(metrics[i].name, name)) return &metrics[i];
    return NULL;
}

const char *metrics_unknown(const char *list) {
    StrVec words = {0};
    vec_split(&words, list, ",");
    for (size_t i = 0; i < words.n; i++)
        if (strcmp(words.v[i], "all") && !find(words.v[i])) return words.v[i];
    return words.n ? NULL : "";
}

void metrics_help(FILE *out) {
    fputs("Available Metrics, of programs compiled with cucpu --profile=lanes:\n", out);
    for (size_t i = 0; i < METRICS; i++) fprintf(out, "%27s:  %s\n", metrics[i].name, metrics[i].description);
}

/* ---- the file ---- */

/* The number after the next key from *at on; false: there is none. */
static bool next_number(const char **at, const char *key, double *n) {
    const char *word = text_format("\"%s\": ", key), *found = strstr(*at, word);
    if (!found) return false;
    *at = found + strlen(word);
    *n = strtod(*at, NULL);
    return true;
}

static double sum_of(const char *line, const char *key) {
    double sum = 0, n;
    for (const char *at = line; next_number(&at, key, &n);) sum += n;
    return sum;
}

/* Operations, times the lanes that they had. */
static double lanes_of(const char *line) {
    double sum = 0, width, operations;
    for (const char *at = strstr(line, "\"lanes\": ["); at && next_number(&at, "width", &width);)
        if (next_number(&at, "operations", &operations)) sum += width * operations;
    return sum;
}

static double value_of(const char *line, const char *key) {
    if (!strcmp(key, "lanes")) return lanes_of(line);
    if (!strcmp(key, "joint_branches")) return sum_of(line, "branches") - sum_of(line, "divergent_branches");
    return sum_of(line, key);
}

static char *title_of(const char *line) {
    const char *from = strstr(line, "\"title\": \"");
    if (!from) return text_copy("", 0);
    from += strlen("\"title\": \"");
    const char *to = from;
    while (*to && *to != '"') to += *to == '\\' && to[1] ? 2 : 1;
    return text_copy(from, (size_t)(to - from));
}

/* ---- the table ---- */

static void print_row(const Style *s, const char *device, const char *kernel, double launches, const Metric *m,
                      const char *line) {
    double part = value_of(line, m->part), whole = m->whole ? value_of(line, m->whole) : 0;
    double average = m->whole ? (whole ? 100 * part / whole : 100) : part / launches;
    const char *unit = m->whole ? "%" : "", *text = text_format(m->whole ? "%.2f%s" : "%.0f%s", average, unit);
    const char *one = launches == 1 || m->whole ? text : s->csv ? "" : "-"; /* of several launches the sum is known */
    if (s->csv)
        fprintf(s->out, "%s,%s,%.0f,%s,%s,%s,%s,%s\n", csv_text(device), csv_text(kernel), launches, csv_text(m->name),
                csv_text(m->description), one, one, text);
    else fprintf(s->out, "%11.0f %41s %53s %11s %11s %11s\n", launches, m->name, m->description, one, one, text);
}

static void print_kernel(const Style *s, const char *list, const char *device, const char *line) {
    double launches = 1;
    const char *at = line, *kernel = title_of(line);
    StrVec words = {0};
    vec_split(&words, list, ",");
    next_number(&at, "launches", &launches);
    if (!s->csv) fprintf(s->out, "    Kernel: %s\n", kernel);
    for (size_t i = 0; i < METRICS; i++)
        if (vec_has(&words, "all") || vec_has(&words, metrics[i].name))
            print_row(s, device, kernel, launches, &metrics[i], line);
}

bool metrics_print(const Style *s, const char *list, const char *counts, const char *device) {
    bool any = false;
    const char *line = counts ? strstr(counts, "\n  {\"name\": ") : NULL;
    const char *places = counts ? strstr(counts, "\n \"places\": [") : NULL;
    for (; line && line < places; line = strstr(line + 1, "\n  {\"name\": ")) {
        const char *end = strchr(line + 1, '\n');
        const char *kernel = text_copy(line, (size_t)(end - line));
        if (!strstr(kernel, "\"operations\": ")) continue;
        if (!any && s->csv)
            fputs("\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric "
                  "Description\",\"Min\",\"Max\",\"Avg\"\n",
                  s->out);
        if (!any && !s->csv)
            fprintf(s->out, "%11s %41s %53s %11s %11s %11s\nDevice \"%s (0)\"\n", "Invocations", "Metric Name",
                    "Metric Description", "Min", "Max", "Avg", device);
        any = true;
        print_kernel(s, list, device, kernel);
    }
    return any;
}
