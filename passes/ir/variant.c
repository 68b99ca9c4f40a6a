/* variant: see variant.h. */
#include "passes/ir/variant.h"
#include "passes/ir/value.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define BASE "cucpu.base"
#define WIDTH "cucpu.width"

typedef enum FieldKind { INT, OPTION, THREE, FLAG, TEXT } FieldKind;

static const struct Field {
    const char *key;
    size_t at;
    FieldKind kind;
} fields[] = {
#define VARIANT(kind, name, pass, what) {"cucpu." #name, offsetof(Variant, name), kind},
#include "passes/ir/variant.def"
};
enum { FIELDS = sizeof fields / sizeof *fields };

/* LLVM ends the texts of attributes with a 0. */
static const char *text_of(LLVMValueRef fn, const char *key) {
    unsigned len;
    return fn_attr(fn, key, &len);
}

Variant variant_of(LLVMValueRef fn) {
    Variant v = {0};
    for (const struct Field *f = fields; f < fields + FIELDS; f++) {
        void *at = (char *)&v + f->at;
        switch (f->kind) {
        case INT:
        case OPTION: *(int *)at = (int)fn_attr_int(fn, f->key, 0); break;
        case THREE: fn_attr_three(fn, f->key, at); break;
        case FLAG: *(bool *)at = fn_has_attr(fn, f->key); break;
        case TEXT: *(const char **)at = text_of(fn, f->key); break;
        }
    }
    return v;
}

/* The text of a field; NULL: there is none. */
static const char *field_text(const struct Field *f, const void *at, char *buffer, size_t size) {
    const int *n = at;
    const unsigned *three = at;
    switch (f->kind) {
    case INT:
    case OPTION: snprintf(buffer, size, "%d", *n); return f->kind == INT || *n ? buffer : NULL;
    case THREE: snprintf(buffer, size, "%u,%u,%u", three[0], three[1], three[2]); return three[0] ? buffer : NULL;
    case FLAG: return *(const bool *)at ? "" : NULL;
    case TEXT: return *(const char *const *)at;
    }
    return NULL;
}

void set_variant(LLVMValueRef fn, const Variant *v) {
    for (const struct Field *f = fields; f < fields + FIELDS; f++) {
        char buffer[48];
        const char *text = field_text(f, (const char *)v + f->at, buffer, sizeof buffer);
        if (text) fn_set_attr(fn, f->key, text);
        else fn_remove_attr(fn, f->key);
    }
}

bool is_variant(LLVMValueRef fn) { return fn_has_attr(fn, BASE); }

bool is_variant_of(LLVMValueRef fn, LLVMValueRef kernel) {
    const char *base = text_of(fn, BASE);
    return base && !strcmp(base, value_name(kernel));
}

bool is_entry(LLVMValueRef fn) { return fn_has_attr(fn, ATTR_ENTRY) && !LLVMIsDeclaration(fn); }
int variant_width(LLVMValueRef fn) { return (int)fn_attr_int(fn, WIDTH, 1); }
bool is_wide_entry(LLVMValueRef fn) { return is_entry(fn) && variant_width(fn) > 1; }
bool is_scalar_entry(LLVMValueRef fn) { return is_entry(fn) && variant_width(fn) == 1; }

VariantKind variant_kind(const Variant *v) {
    if (v->overlapping) return VARIANT_OVERLAPPING;
    if (v->counters[0]) return VARIANT_COUNTING;
    if (v->scalar) return VARIANT_SCALAR;
    if (v->interchanged) return VARIANT_INTERCHANGED;
    if (v->along) return VARIANT_SWAPPED;
    if (v->below) return VARIANT_NARROW;
    if (v->wide) return VARIANT_WIDE;
    return v->block[0] ? VARIANT_ONE_BLOCK : VARIANT_PLAIN;
}

const char *variant_kind_name(VariantKind kind) {
    static const char *const names[] = {"plain",        "one_block", "swapped",  "wide",       "narrow",
                                        "interchanged", "scalar",    "counting", "overlapping"};
    return names[kind];
}

int variant_rank(const Variant *v) {
    enum {
        OF_ONE_BLOCK,
        OF_COLUMNS = OF_ONE_BLOCK + LAYOUT_GENERAL + 1,
        OF_ANY_BLOCK,
        AFTER_ROWS = OF_ANY_BLOCK + LAYOUT_GENERAL,
        LAST,
        OVERLAPPED
    };
    if (v->overlapping) return OVERLAPPED + (v->width == 1);
    if (v->counters[0] || v->scalar || v->single_row) return -1;
    if (v->block[0]) return v->after_rows ? AFTER_ROWS : OF_ONE_BLOCK + v->layout;
    if (v->along) return OF_COLUMNS;
    /* one lane fits every block, and is there for those that no group is for */
    return v->layout == LAYOUT_GENERAL || v->width == 1 ? LAST : OF_ANY_BLOCK + v->layout;
}

const unsigned *variant_launch(const Variant *v) { return v->launch[0] ? v->launch : v->block; }

CucpuVariant variant_row(const Variant *v) {
    const unsigned *block = variant_launch(v);
    return (CucpuVariant){.width = (uint32_t)v->width,
                          .layout = (uint32_t)v->layout,
                          .block = {block[0], block[1], block[2]},
                          .below = (uint32_t)v->below,
                          .along = (uint32_t)v->along,
                          .along_time = (uint32_t)v->along_time,
                          .overlapping = v->overlapping};
}
