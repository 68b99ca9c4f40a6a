/* units.h: times and sizes as nvprof prints them. */
#ifndef CUCPU_LAUNCHER_UNITS_H
#define CUCPU_LAUNCHER_UNITS_H
#include "launcher/profile/tables.h"

const char *time_text(const Style *s, double ns); /* with its unit */
Unit csv_unit(const Style *s, double ns);         /* of a column whose largest value that is */
const char *unit_name(Unit u);
double in_unit(Unit u, double ns);
const char *size_text(double bytes); /* with its unit: 4.0000KB */
const char *csv_text(const char *s); /* in quotes */
#endif
