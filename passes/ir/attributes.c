/* attributes: see attributes.h. */
#include "passes/ir/attributes.h"
#include "cpu-runtime/abi.h"
#include "passes/ir/value.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(LAYOUT_ROWS_FULL == (Layout)CUCPU_LAYOUT_ROWS_FULL && LAYOUT_ROWS == (Layout)CUCPU_LAYOUT_ROWS &&
                   LAYOUT_GENERAL == (Layout)CUCPU_LAYOUT_GENERAL,
               "Layout is as in abi.h");

const char *fn_attr(LLVMValueRef fn, const char *key, unsigned *len) {
    LLVMAttributeRef a =
        LLVMGetStringAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, key, (unsigned)strlen(key));
    return a ? LLVMGetStringAttributeValue(a, len) : NULL;
}

bool fn_has_attr(LLVMValueRef fn, const char *key) {
    unsigned len;
    return fn_attr(fn, key, &len) != NULL;
}

long fn_attr_int(LLVMValueRef fn, const char *key, long absent) {
    unsigned len;
    const char *s = fn_attr(fn, key, &len);
    char buffer[32];
    if (!s || !len || len >= sizeof buffer) return absent;
    memcpy(buffer, s, len);
    buffer[len] = 0;
    return strtol(buffer, NULL, 10);
}

bool is_field_parameter(LLVMValueRef kernel, unsigned i, unsigned *parameter, unsigned *offset) {
    LLVMAttributeRef a = LLVMGetStringAttributeAtIndex(kernel, i + 1, ATTR_FIELD, sizeof ATTR_FIELD - 1);
    unsigned len = 0;
    const char *s = a ? LLVMGetStringAttributeValue(a, &len) : NULL;
    char buffer[32];
    if (!s || len >= sizeof buffer) return false;
    memcpy(buffer, s, len);
    buffer[len] = 0;
    return sscanf(buffer, "%u,%u", parameter, offset) == 2;
}

unsigned launch_parameters(LLVMValueRef kernel) {
    unsigned n = LLVMCountParams(kernel), parameter, offset;
    while (n && is_field_parameter(kernel, n - 1, &parameter, &offset)) n--;
    return n;
}

void fn_attr_three(LLVMValueRef fn, const char *key, unsigned v[3]) {
    unsigned len;
    const char *s = fn_attr(fn, key, &len);
    v[0] = v[1] = v[2] = 0;
    char buffer[64];
    if (!s || len >= sizeof buffer) return;
    memcpy(buffer, s, len);
    buffer[len] = 0;
    char *p = buffer;
    for (int i = 0; i < 3 && *p; i++) {
        v[i] = (unsigned)strtoul(p, &p, 10);
        if (*p == ',') p++;
        if (i == 0) v[1] = v[2] = 1;
    }
}

void fn_set_attr(LLVMValueRef fn, const char *key, const char *value) {
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(fn));
    LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(c, key, (unsigned)strlen(key), value, (unsigned)strlen(value)));
}

void fn_remove_attr(LLVMValueRef fn, const char *key) {
    LLVMRemoveStringAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, key, (unsigned)strlen(key));
}

bool is_kernel(LLVMValueRef fn) { return fn_has_attr(fn, ATTR_KERNEL); }

bool calls_name(LLVMValueRef fn, Name first, Name last) {
    for_each_instruction(i, fn)
        if (name_of_call(i) >= first && name_of_call(i) <= last) return true;
    return false;
}

bool reads_thread_id(LLVMValueRef kernel, int dimension) {
    return calls_name(kernel, (Name)(NAME_TID_X + dimension), (Name)(NAME_TID_X + dimension));
}

#define ON_CALL ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

const char *resolved_targets(LLVMValueRef call, unsigned *len) {
    if (!LLVMIsACallInst(call)) return NULL;
    LLVMAttributeRef a = LLVMGetCallSiteStringAttribute(call, ON_CALL, CALL_RESOLVED, sizeof CALL_RESOLVED - 1);
    return a ? LLVMGetStringAttributeValue(a, len) : NULL;
}

void set_resolved_targets(LLVMValueRef call, const char *names, unsigned len) {
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(call));
    LLVMAddCallSiteAttribute(call, ON_CALL,
                             LLVMCreateStringAttribute(c, CALL_RESOLVED, sizeof CALL_RESOLVED - 1, names, len));
}
