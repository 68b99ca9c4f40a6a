/* groups.h: activities of one name, added up. */
#ifndef CUCPU_LAUNCHER_GROUPS_H
#define CUCPU_LAUNCHER_GROUPS_H
#include "launcher/profile/records.h"

typedef struct Group {
    const char *name;
    size_t count;
    uint64_t sum, min, max;
    const Activity *last;
} Group;
typedef struct Groups {
    Group *v; /* the largest sum first */
    size_t n;
    uint64_t sum;
} Groups;
Groups make_groups(const Process *p, bool (*wanted)(const Activity *a), bool mangled);
const char *activity_name(const Activity *a, bool mangled);
#endif
