/* units.c: times and sizes as nvprof prints them: five digits and a unit. */
#include "launcher/profile/units.h"
#include "launcher/text.h"
#include <string.h>

static const struct {
    const char *name;
    double ns;
} units[] = {[UNIT_S] = {"s", 1e9}, [UNIT_MS] = {"ms", 1e6}, [UNIT_US] = {"us", 1e3}, [UNIT_NS] = {"ns", 1}};

const char *unit_name(Unit u) { return units[u].name; }
double in_unit(Unit u, double ns) { return ns / units[u].ns; }

static Unit unit_of(double ns) { return ns >= 1e9 ? UNIT_S : ns >= 1e6 ? UNIT_MS : ns >= 1e3 ? UNIT_US : UNIT_NS; }

Unit csv_unit(const Style *s, double ns) { return s->unit > UNIT_COLUMN ? s->unit : unit_of(ns); }

static const char *digits(double v) {
    int after = v < 10 ? 4 : v < 100 ? 3 : v < 1000 ? 2 : v < 10000 ? 1 : 0;
    return text_format("%.*f", after, v);
}

const char *time_text(const Style *s, double ns) {
    Unit u = s->unit > UNIT_COLUMN ? s->unit : unit_of(ns);
    if (u == UNIT_NS) return text_format("%.0fns", ns);
    return text_format("%s%s", digits(in_unit(u, ns)), units[u].name);
}

const char *size_text(double bytes) {
    static const char *const names[] = {"B", "KB", "MB", "GB", "TB"};
    size_t i = 0;
    while (bytes >= 1024 && i + 1 < sizeof names / sizeof *names) bytes /= 1024, i++;
    return i ? text_format("%s%s", digits(bytes), names[i]) : text_format("%.0fB", bytes);
}

const char *csv_text(const char *s) {
    const char *out = "";
    for (const char *quote; (quote = strchr(s, '"')); s = quote + 1)
        out = text_format("%s%s\"\"", out, text_copy(s, (size_t)(quote - s)));
    return text_format("\"%s%s\"", out, s);
}
