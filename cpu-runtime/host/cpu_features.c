/* cpu_features.c: has this machine what kernels were compiled for?  See cpu_features.def. */
#include "host/cpu_features.h"
#include "base/base.h"
#include <cpuid.h>
#include <stdio.h>
#include <string.h>

typedef struct Feature {
    const char *name;
    uint32_t leaf, subleaf;
    enum { A, B, C, D } word;
    uint32_t bit, state;
} Feature;

static const Feature features[] = {
#define CPU_FEATURE(name, leaf, subleaf, word, bit, state) {name, leaf, subleaf, word, bit, state},
#include "host/cpu_features.def"
};
_Static_assert(RT_COUNT(features) <= 64, "CucpuModule.cpu_features has a bit for each");

/* The registers that the operating system saves. */
static uint32_t saved_state(void) {
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE)) return 0;
    __asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    return a;
}

uint64_t rt_cpu_features(void) {
    static _Atomic uint64_t known;
    uint64_t found = atomic_load_explicit(&known, memory_order_relaxed);
    if (found) return found;
    uint32_t state = saved_state(), leaf = 0, subleaf = 0, words[4] = {0};
    for (unsigned i = 0; i < RT_COUNT(features); i++) {
        const Feature *f = &features[i];
        if (f->leaf != leaf || f->subleaf != subleaf) {
            leaf = f->leaf, subleaf = f->subleaf;
            if (!__get_cpuid_count(leaf, subleaf, &words[A], &words[B], &words[C], &words[D]))
                memset(words, 0, sizeof words);
        }
        if (words[f->word] >> f->bit & 1 && (state & f->state) == f->state) found |= (uint64_t)1 << i;
    }
    atomic_store_explicit(&known, found, memory_order_relaxed);
    return found;
}

void rt_name_cpu_features(uint64_t set, char *out, size_t size) {
    *out = 0;
    for (unsigned i = 0; i < RT_COUNT(features); i++) {
        size_t n = strlen(out);
        if (set >> i & 1) snprintf(out + n, size - n, "%s%s", n ? ", " : "", features[i].name);
    }
}
