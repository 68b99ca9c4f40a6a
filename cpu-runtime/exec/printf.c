/* printf.c: device printf.
**
** The arguments lie in one packed buffer, each at its natural alignment: 4 bytes for the int class,
** 8 for long long, pointers and double (float is promoted by the front end).  The text is made in a
** buffer of the calling thread without any lock - reading a bad %s pointer may end the kernel - and
** written to stdout by one call, so that two threads' outputs never mix.  stdout is flushed when the
** host synchronises.
** A conversion is %[-+ #0][width or *][.precision][h hh l ll] and one of diouxXcsSpeEfFgGaA or %, as CUDA
** has it; besides there are C's z, j, t and L and a precision of *, of which a GPU prints the text: who writes
** them means the number.  Of what else begins with a '%' (%n, %'d) the '%' is printed and no argument taken.
** Returns the number of arguments that were taken, -1 without a format. */
#include "exec/printf.h"
#include "base/base.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

typedef struct Text {
    char *data;
    size_t size, capacity;
    char local[1024];
} Text;

typedef struct Args {
    const char *base;
    size_t at;
    int count;
} Args;

typedef struct Spec {
    char flags[24]; /* "%", flags, width and precision with the stars replaced */
    size_t length;
    int longs; /* 0 int, 1 or 2 long, -1 h, -2 hh */
    char conversion;
} Spec;

static _Atomic int pending;

static void append(Text *t, const char *s, size_t n) {
    if (t->size + n > t->capacity) {
        size_t capacity = (t->size + n) * 2;
        char *data = t->data == t->local ? malloc(capacity) : realloc(t->data, capacity);
        if (!data) return;
        if (t->data == t->local) memcpy(data, t->local, t->size);
        t->data = data;
        t->capacity = capacity;
    }
    memcpy(t->data + t->size, s, n);
    t->size += n;
}

static const void *next_arg(Args *a, size_t bytes) {
    a->at = (a->at + bytes - 1) & ~(bytes - 1);
    const void *p = a->base + a->at;
    a->at += bytes;
    a->count++;
    return p;
}

static int next_int(Args *a) {
    int v;
    memcpy(&v, next_arg(a, 4), sizeof v);
    return v;
}

static long long next_long(Args *a) {
    long long v;
    memcpy(&v, next_arg(a, 8), sizeof v);
    return v;
}

/* The NaN of an invalid operation has its sign bit set on x86, none on a GPU. */
static double next_double(Args *a) {
    uint64_t bits;
    double v;
    memcpy(&bits, next_arg(a, 8), sizeof bits);
    if (bits == 0xfff8000000000000) bits = 0x7ff8000000000000;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static bool add_flag(Spec *s, const char *text, size_t n) {
    if (s->length + n + 4 > sizeof s->flags) return false; /* room for "ll", conversion, 0 */
    memcpy(s->flags + s->length, text, n);
    s->length += n;
    return true;
}

/* From after the '%' to after the conversion; NULL = it is none. */
static const char *parse(const char *f, Spec *s, Args *a) {
    static const char digits[] = "0123456789";
    char number[16];
    *s = (Spec){.flags = "%", .length = 1};
    size_t n = strspn(f, "-+ #0");
    if (f[n] != '*') n += strspn(f + n, digits);
    if (!add_flag(s, f, n)) return NULL;
    f += n;
    if (*f == '*') {
        if (!add_flag(s, number, (size_t)snprintf(number, sizeof number, "%d", next_int(a)))) return NULL;
        f++;
    }
    if (*f == '.' && f[1] == '*') {
        int precision = next_int(a);
        if (precision >= 0 && !add_flag(s, number, (size_t)snprintf(number, sizeof number, ".%d", precision)))
            return NULL;
        f += 2;
    } else if (*f == '.') {
        n = 1 + strspn(f + 1, digits);
        if (!add_flag(s, f, n)) return NULL;
        f += n;
    }
    const char size = *f;
    if (size && strchr("zjtL", size)) {
        s->longs = size == 'L' ? 0 : 2;
        f++;
    }
    for (; (*f == 'h' || *f == 'l') && *f == size && s->longs > -2 && s->longs < 2; f++)
        s->longs += size == 'h' ? -1 : 1;
    s->conversion = *f;
    return *f ? f + 1 : NULL;
}

static void finish_flags(Spec *s, const char *modifier) {
    size_t n = strlen(modifier);
    memcpy(s->flags + s->length, modifier, n);
    s->flags[s->length + n] = s->conversion;
    s->flags[s->length + n + 1] = 0;
}

/* The format has been taken apart above: only one conversion of the right type is left in it. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

#define PUT(value)                                                                                                     \
    do {                                                                                                               \
        char piece[512];                                                                                               \
        __typeof__(value) value_ = (value);                                                                            \
        int n_ = snprintf(piece, sizeof piece, s.flags, value_);                                                       \
        if (n_ < (int)sizeof piece) {                                                                                  \
            append(t, piece, n_ > 0 ? (size_t)n_ : 0);                                                                 \
        } else {                                                                                                       \
            char *big = malloc((size_t)n_ + 1);                                                                        \
            if (big) append(t, big, (size_t)snprintf(big, (size_t)n_ + 1, s.flags, value_));                           \
            free(big);                                                                                                 \
        }                                                                                                              \
    } while (0)

static bool convert(Text *t, Spec s, Args *a) {
    switch (s.conversion) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
        finish_flags(&s, s.longs > 0 ? "ll" : s.longs == -1 ? "h" : s.longs < -1 ? "hh" : "");
        if (s.longs > 0) PUT(next_long(a));
        else PUT(next_int(a));
        return true;
    case 'c':
        finish_flags(&s, "");
        PUT(next_int(a));
        return true;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        finish_flags(&s, "");
        PUT(next_double(a));
        return true;
    case 's': {
        const char *v = (const char *)(uintptr_t)next_long(a);
        finish_flags(&s, "");
        PUT(v ? v : "(null)");
        return true;
    }
    case 'S': {
        const wchar_t *v = (const wchar_t *)(uintptr_t)next_long(a);
        finish_flags(&s, "");
        PUT(v ? v : L"(null)");
        return true;
    }
    case 'p': {
        void *v = (void *)(uintptr_t)next_long(a);
        finish_flags(&s, "");
        PUT(v);
        return true;
    }
    case '%': append(t, "%", 1); return true;
    }
    return false;
}

static void render(Text *t, const char *f, Args *a) {
    while (*f) {
        size_t plain = strcspn(f, "%");
        append(t, f, plain);
        f += plain;
        if (!*f) break;
        Spec s;
        const Args before = *a;
        const char *rest = parse(f + 1, &s, a);
        if (!rest || !convert(t, s, a)) {
            append(t, "%", 1);
            *a = before;
            rest = f + 1;
        }
        f = rest;
    }
}

int cucpu_vprintf(const char *format, const void *args) {
    if (!format) return -1;
    Text t = {.size = 0, .capacity = sizeof t.local};
    t.data = t.local;
    Args a = {.base = args};
    render(&t, format, &a);
    fwrite(t.data, 1, t.size, stdout);
    if (!atomic_load_explicit(&pending, memory_order_relaxed)) atomic_store(&pending, 1);
    if (t.data != t.local) free(t.data);
    return a.count;
}

void rt_flush_printf(void) {
    if (atomic_load_explicit(&pending, memory_order_relaxed) && atomic_exchange(&pending, 0)) fflush(stdout);
}
