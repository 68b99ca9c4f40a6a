/* make_ir.c: prints LLVM IR with one function per row of math.def, type and width:
**     void t_<name>_<f|d|s>_<W>(T *r, R *r2, T *x, T *y, T *z, int *e, long n)
** which evaluates the row over n elements, W at a time.  `s` is float with the flag afn.  The calls
** are those that widen writes: intrinsics where there are some, else cucpu.math.NAME.vW. */
#include "passes/ir/math.h"
#include <stdio.h>
#include <string.h>

typedef struct Form {
    const MathRow *row;
    char kind; /* f, d, s */
    int w;
    char v[32], iv[32]; /* types of values and of exponents */
} Form;

static const MathRow rows[] = {
#define MATH(name, kind, sig, llvm, f32, f64, sleef, acc32, acc64, fast, ulp32, ulp64)             \
    {#name, MATH_ID_##name, MATH_##kind, SIG_##sig, llvm, f32, f64, sleef, acc32, acc64, fast,     \
     ulp32, ulp64},
#include "passes/ir/math.def"
#undef MATH
};
static char declarations[1 << 20];

static const char *element(const Form *f) { return f->kind == 'd' ? "double" : "float"; }

static void load(const Form *f, const char *to, const char *type, const char *elem, const char *from) {
    int bytes = strcmp(elem, "double") ? 4 : 8;
    printf("  %%p%s = getelementptr %s, ptr %%%s, i64 %%i\n", to, elem, from);
    printf("  %%%s = load %s, ptr %%p%s, align %d\n", to, type, to, bytes);
    (void)f;
}

static void store(const char *value, const char *type, const char *elem, const char *to) {
    printf("  %%q%s = getelementptr %s, ptr %%%s, i64 %%i\n", to, elem, to);
    printf("  store %s %%%s, ptr %%q%s, align %d\n", type, value, to, strcmp(elem, "double") ? 4 : 8);
}

/* The callee as a name; C functions of width 1 go by their own name. */
static void callee(const Form *f, char *out, size_t size) {
    const MathRow *r = f->row;
    const char *c_name = f->kind == 'd' ? r->f64 : r->f32;
    bool vector_name = r->id == MATH_ID_powi || !r->intrinsic;
    if (vector_name && f->w > 1) snprintf(out, size, "cucpu.math.%s.v%d", c_name, f->w);
    else if (vector_name) snprintf(out, size, "%s", c_name);
    else if (f->w > 1) snprintf(out, size, "%s.v%d%s", r->intrinsic, f->w, f->kind == 'd' ? "f64" : "f32");
    else snprintf(out, size, "%s.%s", r->intrinsic, f->kind == 'd' ? "f64" : "f32");
    if (!vector_name && (r->id == MATH_ID_ldexp || r->id == MATH_ID_frexp)) {
        size_t n = strlen(out);
        if (f->w > 1) snprintf(out + n, size - n, ".v%di32", f->w);
        else snprintf(out + n, size - n, ".i32");
    }
}

static void call(const Form *f) {
    static const char *const formats[] = {"%s %%x", "%s %%x, %s %%y", "%s %%x, %s %%y, %s %%z"};
    char name[64], args[256], types[256], result[128];
    const MathRow *r = f->row;
    const char *v = f->v;
    callee(f, name, sizeof name);
    snprintf(result, sizeof result, "%s", v);
    snprintf(types, sizeof types, "%s", v);
    snprintf(args, sizeof args, formats[0], v);
    if (r->sig == SIG_F_FF) snprintf(types, sizeof types, "%s, %s", v, v), snprintf(args, sizeof args, formats[1], v, v);
    if (r->sig == SIG_F_FFF)
        snprintf(types, sizeof types, "%s, %s, %s", v, v, v), snprintf(args, sizeof args, formats[2], v, v, v);
    if (r->sig == SIG_F_FI)
        snprintf(types, sizeof types, "%s, %s", v, f->iv), snprintf(args, sizeof args, "%s %%x, %s %%e", v, f->iv);
    if (r->sig == SIG_P_F) snprintf(result, sizeof result, "{%s, %s}", v, r->id == MATH_ID_frexp ? f->iv : v);
    printf("  %%c = call %s%s @%s(%s)\n", f->kind == 's' ? "afn " : "", result, name, args);
    char d[512];
    snprintf(d, sizeof d, "declare %s @%s(%s)\n", result, name, types);
    if (!strstr(declarations, d)) strcat(declarations, d);
    if (r->sig == SIG_P_F) {
        printf("  %%first = extractvalue %s %%c, 0\n  %%second = extractvalue %s %%c, 1\n", result, result);
        store("first", v, element(f), "r");
        store("second", r->id == MATH_ID_frexp ? f->iv : v, r->id == MATH_ID_frexp ? "i32" : element(f), "r2");
    } else {
        store("c", v, element(f), "r");
    }
}

static void function(const MathRow *r, char kind, int w) {
    Form f = {.row = r, .kind = kind, .w = w};
    if (kind == 's' && !r->fast) return;
    if (!r->intrinsic && !(kind == 'd' ? r->f64 : r->f32)) return;
    snprintf(f.v, sizeof f.v, w > 1 ? "<%d x %s>" : "%.0d%s", w > 1 ? w : 0, element(&f));
    snprintf(f.iv, sizeof f.iv, w > 1 ? "<%d x i32>" : "%.0di32", w > 1 ? w : 0);
    printf("define void @t_%s_%c_%d(ptr %%r, ptr %%r2, ptr %%px0, ptr %%py0, ptr %%pz0, ptr %%pe0, i64 %%n) {\n",
           r->name, kind, w);
    printf("entry:\n  br label %%loop\nloop:\n  %%i = phi i64 [ 0, %%entry ], [ %%next, %%loop ]\n");
    load(&f, "x", f.v, element(&f), "px0");
    load(&f, "y", f.v, element(&f), "py0");
    load(&f, "z", f.v, element(&f), "pz0");
    load(&f, "e", f.iv, "i32", "pe0");
    call(&f);
    printf("  %%next = add i64 %%i, %d\n  %%more = icmp ult i64 %%next, %%n\n", w);
    printf("  br i1 %%more, label %%loop, label %%done\ndone:\n  ret void\n}\n");
}

int main(void) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int w = 1; w <= 64; w *= 2)
            for (const char *kind = "fds"; *kind; kind++) function(&rows[i], *kind, w);
    fputs(declarations, stdout);
    return 0;
}
