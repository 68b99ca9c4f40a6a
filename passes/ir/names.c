/* names.c: see names.h. */
#include "passes/ir/names.h"
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

typedef struct NameRow {
    const char *text;
    char result;
    const char *args;
    char effects;
} NameRow;

static const NameRow rows[] = {
    {"", 'v', "", 'N'},
#define NAME(id, name, result, args, effects, what) {name, #result[0], args, #effects[0]},
#include "passes/ir/names.def"
#undef NAME
};

/* Names by hash: most calls of a kernel are looked up many times. */
enum { TABLE = 1024 };
static uint8_t table[TABLE];
static_assert(NAME_COUNT <= UINT8_MAX && 2 * NAME_COUNT < TABLE, "the table of names is too small");

static unsigned slot_of(const char *s, size_t len) {
    uint32_t h = 2166136261u;
    for (size_t i = 6; i < len; i++) h = (h ^ (unsigned char)s[i]) * 16777619u;
    h = (h ^ h >> 15) % TABLE;
    while (table[h] && (strlen(rows[table[h]].text) != len || memcmp(rows[table[h]].text, s, len) != 0))
        h = (h + 1) % TABLE;
    return h;
}

static void fill_table(void) {
    for (int n = 1; n < NAME_COUNT; n++) table[slot_of(rows[n].text, strlen(rows[n].text))] = (uint8_t)n;
}

Name name_of_function(LLVMValueRef fn) {
    static once_flag once = ONCE_FLAG_INIT;
    call_once(&once, fill_table);
    size_t len;
    const char *s = LLVMGetValueName2(fn, &len);
    if (len < 6 || memcmp(s, "cucpu.", 6)) return NAME_NONE;
    if (len > sizeof CALLED_PREFIX - 1 && !memcmp(s, CALLED_PREFIX, sizeof CALLED_PREFIX - 1)) return NAME_CALLED;
    /* ".v<W>" marks the widened form */
    for (size_t i = len; i > 6; i--) {
        if (s[i - 1] == 'v' && s[i - 2] == '.' && i < len) {
            len = i - 2;
            break;
        }
        if (s[i - 1] < '0' || s[i - 1] > '9') break;
    }
    return (Name)table[slot_of(s, len)];
}

Name name_of_call(LLVMValueRef inst) {
    if (!LLVMIsACallInst(inst)) return NAME_NONE;
    LLVMValueRef f = LLVMGetCalledValue(inst);
    return f && LLVMIsAFunction(f) ? name_of_function(f) : NAME_NONE;
}

static LLVMTypeRef type_of(LLVMContextRef c, char t) {
    switch (t) {
    case 'b': return LLVMInt1TypeInContext(c);
    case 'i': return LLVMInt32TypeInContext(c);
    case 'l': return LLVMInt64TypeInContext(c);
    case 'f': return LLVMFloatTypeInContext(c);
    case 'p': return LLVMPointerTypeInContext(c, 0);
    default: return LLVMVoidTypeInContext(c);
    }
}

static void add_attr(LLVMValueRef fn, const char *name, uint64_t value) {
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(fn));
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(c, kind, value));
}

LLVMValueRef name_function(LLVMModuleRef m, Name n) {
    LLVMValueRef f = LLVMGetNamedFunction(m, rows[n].text);
    if (f) return f;
    LLVMContextRef c = LLVMGetModuleContext(m);
    LLVMTypeRef args[8];
    unsigned na = (unsigned)strlen(rows[n].args);
    for (unsigned i = 0; i < na; i++) args[i] = type_of(c, rows[n].args[i]);
    f = LLVMAddFunction(m, rows[n].text, LLVMFunctionType(type_of(c, rows[n].result), args, na, 0));
    add_attr(f, "nounwind", 0);
    if (rows[n].effects == 'C') add_attr(f, "convergent", 0);
    if (rows[n].effects == 'N') {
        add_attr(f, "memory", 0); /* none */
        add_attr(f, "willreturn", 0);
        add_attr(f, "speculatable", 0);
    }
    return f;
}

const char *name_text(Name n) { return rows[n].text; }
bool name_is_convergent(Name n) { return rows[n].effects == 'C'; }
bool name_is_barrier(Name n) { return n >= NAME_BARRIER && n <= NAME_BAR_OR; }
bool name_is_cluster(Name n) { return n >= NAME_CLUSTER_ARRIVE && n <= NAME_CLUSTER_SYNC; }
bool name_leaves_block(Name n) { return n == NAME_GRID_SYNC || name_is_cluster(n); }
bool name_is_cut(Name n) { return name_is_barrier(n) || name_leaves_block(n) || n == NAME_MEET; }
bool name_queries_mask(Name n) { return n >= NAME_ANY && n <= NAME_FIRST_PTR; }
bool name_is_thread_id(Name n) { return n >= NAME_TID_X && n < NAME_TID_X + (Name)THREAD_IDS; }

bool name_is_warp_op(Name n) { return n == NAME_SYNCWARP || (n >= NAME_SHFL_IDX && n <= NAME_CALLED); }

bool name_gives_lanes(Name n) {
    return n == NAME_BALLOT || n == NAME_ACTIVEMASK || (n >= NAME_MATCH_ANY32 && n <= NAME_MATCH_ALL64);
}

LLVMValueRef name_call(LLVMBuilderRef b, LLVMModuleRef m, Name n, LLVMValueRef *args, unsigned nargs,
                       const char *result) {
    LLVMValueRef f = name_function(m, n);
    LLVMTypeRef t = LLVMGlobalGetValueType(f);
    bool is_void = LLVMGetTypeKind(LLVMGetReturnType(t)) == LLVMVoidTypeKind;
    return LLVMBuildCall2(b, t, f, args, nargs, is_void ? "" : result);
}
