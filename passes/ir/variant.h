/* variant.h: what a function of the IR is as a variant of a kernel: its attributes (variant.def). No other file spells
** them. */
#ifndef CUCPU_VARIANT_H
#define CUCPU_VARIANT_H
#include "cpu-runtime/abi.h"
#include "passes/ir/attributes.h"

typedef struct Variant {
#define VARIANT_FIELD_INT(name) int name;
#define VARIANT_FIELD_OPTION(name) int name;
#define VARIANT_FIELD_THREE(name) unsigned name[3];
#define VARIANT_FIELD_FLAG(name) bool name;
#define VARIANT_FIELD_TEXT(name) const char *name;
#define VARIANT(kind, name, pass, what) VARIANT_FIELD_##kind(name)
#include "passes/ir/variant.def"
} Variant;

Variant variant_of(LLVMValueRef fn); /* all 0 where fn is none; texts live as long as the context */
void set_variant(LLVMValueRef fn, const Variant *v);

bool is_variant(LLVMValueRef fn);
bool is_variant_of(LLVMValueRef fn, LLVMValueRef kernel);
bool is_entry(LLVMValueRef fn);      /* an entry, or the vector function, that loop_groups made of a variant */
int variant_width(LLVMValueRef fn);  /* 1 where fn is none */
bool is_wide_entry(LLVMValueRef fn); /* of more than one lane */
bool is_scalar_entry(LLVMValueRef fn);

/* What a variant is for. */
typedef enum VariantKind {
    VARIANT_PLAIN,        /* launches that no other is for */
    VARIANT_ONE_BLOCK,    /* one blockDim */
    VARIANT_SWAPPED,      /* lanes along y or z */
    VARIANT_WIDE,         /* rows that fill more lanes */
    VARIANT_NARROW,       /* rows shorter than a group */
    VARIANT_INTERCHANGED, /* rows of blocks that advance together */
    VARIANT_SCALAR,       /* beside the others, selected at run time */
    VARIANT_COUNTING,     /* beside the others: counters of each worker */
    VARIANT_OVERLAPPING   /* launches whose arguments overlap, which no other is for */
} VariantKind;
VariantKind variant_kind(const Variant *v);
const char *variant_kind_name(VariantKind kind);

/* blockDim of its launches; 0 = any. */
const unsigned *variant_launch(const Variant *v);
/* The order in which the runtime tries variants; -1: it is in no list, the kernel's row of the table names it. */
int variant_rank(const Variant *v);
/* Its row in the table, without entry and frame. */
CucpuVariant variant_row(const Variant *v);
#endif
