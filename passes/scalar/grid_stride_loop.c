/* grid_stride_loop: the loop that interchange_grid_stride makes.
**
**   steps:      at = base; while (at < n) {                    block-uniform
**   strip:          fast = off < n - at - span                 all iterations of a strip have the thread
**   fast:           if (fast) for (k = 0; k < COST_STRIP; k++) body(at + k * step + off)
**   slow:           else      for (k = 0; k < COST_STRIP && at + k * step < n; k++)
**                                 if (off < n - at - k * step) body(at + k * step + off)
**                   at += COST_STRIP * step;  __syncthreads()
**               }
** span is (COST_STRIP - 1) * step. Loops of the block alone, that carry nothing, or have large bodies, are not
** strip-mined: there `slow` is one iteration. The test of `fast` is a range test: groups that pass it whole run it
** without masks (version_all_active). Several intervals of memory are read side by side, which suits prefetchers. */
#include "passes/scalar/interchange_grid_stride.h"
#include "passes/analysis/cost.h"
#include "passes/ir/clone_blocks.h"
#include "passes/ir/edit.h"
#include "passes/ir/edit_cfg.h"
#include "passes/ir/value.h"
#include "passes/passes.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

/* ---- bounds ---- */

/* v <= max - room, as integers of this signedness. */
static LLVMValueRef build_no_greater(Stride *s, LLVMValueRef v, bool is_signed, LLVMValueRef room) {
    LLVMTypeRef t = LLVMTypeOf(v);
    LLVMValueRef maximum = LLVMConstInt(t, UINT64_MAX >> (64 - LLVMGetIntTypeWidth(t) + is_signed), 0);
    return LLVMBuildICmp(s->b, is_signed ? LLVMIntSLE : LLVMIntULE, v, LLVMBuildSub(s->b, maximum, room, ""), "");
}

/* n + 1 instead of n; that this does not wrap around. */
static LLVMValueRef make_exclusive(Stride *s) {
    LLVMValueRef one = LLVMConstInt(LLVMTypeOf(s->n), 1, 0), bounded = build_no_greater(s, s->n, s->is_signed, one);
    s->n = LLVMBuildAdd(s->b, s->n, one, "end");
    return bounded;
}

/* The same for a loop of the grid, for all of its blocks at once: the last of them starts at 31 bits, and n and step
** after it are integers of the type. */
static LLVMValueRef cannot_wrap_in_grid(Stride *s) {
    LLVMTypeRef t = LLVMTypeOf(s->step), i64 = LLVMInt64TypeInContext(s->m->ctx);
    LLVMValueRef blocks = LLVMBuildZExt(s->b, name_call(s->b, s->m->mod, NAME_NCTAID_X, NULL, 0, ""), i64, "");
    LLVMValueRef by = LLVMBuildZExt(s->b, grid_loop_hoisted(s, s->block_step), i64, "");
    LLVMValueRef threads = LLVMBuildMul(s->b, blocks, by, "grid"), none = LLVMConstNull(t);
    LLVMValueRef maximum = LLVMConstInt(i64, INT32_MAX - MAX_THREADS, 0);
    LLVMValueRef room = LLVMBuildAdd(s->b, threads, LLVMConstInt(i64, MAX_THREADS, 0), "");
    if (t != i64) room = LLVMBuildTrunc(s->b, room, t, "");
    LLVMValueRef c = LLVMBuildICmp(s->b, s->is_signed ? LLVMIntSGT : LLVMIntUGT, s->step, none, "");
    c = LLVMBuildAnd(s->b, c, LLVMBuildICmp(s->b, LLVMIntULE, threads, maximum, ""), "");
    c = LLVMBuildAnd(s->b, c, build_no_greater(s, s->n, s->is_signed, s->step), "");
    return LLVMBuildAnd(s->b, c, build_no_greater(s, s->n, s->is_signed, room), "steps");
}

/* No sum of the loop wraps around: 0 < step, and base + threads and n + step fit the type. (Else what is computed for
** inactive lanes could look like an index below n.) base is the 32-bit one where it was extended. */
static LLVMValueRef cannot_wrap(Stride *s, LLVMValueRef base) {
    LLVMValueRef none = LLVMConstNull(LLVMTypeOf(s->step)), threads = LLVMConstInt(LLVMTypeOf(base), MAX_THREADS, 0);
    bool base_signed = s->extended ? LLVMIsASExtInst(s->start) != NULL : s->is_signed;
    LLVMValueRef c = LLVMBuildICmp(s->b, s->is_signed ? LLVMIntSGT : LLVMIntUGT, s->step, none, "");
    c = LLVMBuildAnd(s->b, c, build_no_greater(s, s->n, s->is_signed, s->step), "");
    return LLVMBuildAnd(s->b, c, build_no_greater(s, base, base_signed, threads), "steps");
}

/* Before the loop: base, the index in the block, and the test which loop runs. */
static LLVMValueRef build_preheader(Stride *s, LLVMBasicBlockRef header, LLVMValueRef *off) {
    LLVMTypeRef t = LLVMTypeOf(s->i);
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(s->before);
    LLVMPositionBuilderBefore(s->b, branch);
    for_each_in_block(v, s->header)
        if (!LLVMIsAPHINode(v) && grid_loop_is_uniform(s, v)) grid_loop_hoisted(s, v);
    s->step = grid_loop_hoisted(s, s->step);
    s->n = grid_loop_hoisted(s, s->n);
    LLVMValueRef bounded = s->inclusive ? make_exclusive(s) : NULL;
    *off = name_call(s->b, s->m->mod, NAME_TID_X, NULL, 0, "");
    LLVMValueRef base = LLVMConstNull(t), safe;
    if (s->block) {
        *off = LLVMBuildAdd(s->b, s->block, LLVMBuildZExt(s->b, *off, LLVMTypeOf(s->block), ""), "");
        safe = cannot_wrap_in_grid(s);
    } else {
        base = affine_build(s->b, &s->base, s->extended ? LLVMTypeOf(s->extended) : t, NULL, NULL);
        safe = cannot_wrap(s, base);
        if (s->extended) base = LLVMBuildCast(s->b, LLVMGetInstructionOpcode(s->start), base, t, "");
    }
    if (LLVMTypeOf(*off) != t) *off = LLVMBuildZExt(s->b, *off, t, "");
    if (bounded) safe = LLVMBuildAnd(s->b, safe, bounded, "");
    LLVMBuildCondBr(s->b, safe, header, s->header);
    return base;
}

/* ---- iterations ---- */

static LLVMValueRef add_without_wrap(Stride *s, LLVMValueRef x, LLVMValueRef y, const char *name) {
    return s->is_signed ? LLVMBuildNSWAdd(s->b, x, y, name) : LLVMBuildNUWAdd(s->b, x, y, name);
}

/* What the threads carry: the header's phis but i. */
typedef LLVMValueRef Carried[MAX_CARRIED];

static int carried_phis(const Stride *s, Carried v) {
    int n = 0;
    for_each_phi(p, s->header)
        if (p != s->i) v[n++] = p;
    return n;
}

/* The blocks of the loop but its header, with i as given. */
static void copy_body(Stride *s) {
    const Loop *l = &s->c->l[s->loop];
    for (int b = l->first + 1; b <= l->last; b++)
        map_put(&s->copy, s->c->b[b].bb, (uintptr_t)LLVMInsertBasicBlockInContext(s->m->ctx, s->after, "step"));
    for (int b = l->first + 1; b <= l->last; b++) {
        LLVMPositionBuilderAtEnd(s->b, copied_block(&s->copy, s->c->b[b].bb));
        for_each_in_block(i, s->c->b[b].bb) map_put(&s->copy, i, (uintptr_t)clone_at(s->b, i));
    }
}

static void rewire(Stride *s) {
    const Loop *l = &s->c->l[s->loop];
    for (int b = l->first + 1; b <= l->last; b++) use_copies(&s->copy, copied_block(&s->copy, s->c->b[b].bb));
}

/* A block that makes an iteration of all threads, from `at` on, whose phis have no operands yet. */
typedef struct Iteration {
    LLVMBasicBlockRef head, end;
    LLVMValueRef at;
    Carried in, out;
} Iteration;

/* all: every thread has it. An inactive thread carries on the value that it had. */
static void build_body(Stride *s, Iteration *x, LLVMValueRef off, bool all) {
    Carried phi;
    int n = carried_phis(s, phi);
    LLVMMetadataRef location = LLVMGetCurrentDebugLocation2(s->b);
    LLVMPositionBuilderAtEnd(s->b, x->head);
    x->at = LLVMBuildPhi(s->b, LLVMTypeOf(s->i), "at");
    for (int k = 0; k < n; k++)
        map_put(&s->copy, phi[k], (uintptr_t)(x->in[k] = LLVMBuildPhi(s->b, LLVMTypeOf(phi[k]), "")));
    map_put(&s->copy, s->i, (uintptr_t)add_without_wrap(s, x->at, off, "i"));
    LLVMValueRef on = all ? NULL : LLVMBuildICmp(s->b, LLVMIntULT, off, LLVMBuildSub(s->b, s->n, x->at, "left"), "on");
    copy_body(s);
    map_put(&s->copy, s->header, (uintptr_t)x->end);
    rewire(s);
    LLVMPositionBuilderAtEnd(s->b, x->head);
    LLVMSetCurrentDebugLocation2(s->b, location);
    LLVMBasicBlockRef body = copied_block(&s->copy, s->body), preds[2] = {copied_block(&s->copy, s->latch), x->head};
    if (on) LLVMBuildCondBr(s->b, on, body, x->end);
    else LLVMBuildBr(s->b, body);
    LLVMPositionBuilderAtEnd(s->b, x->end);
    for (int k = 0; k < n; k++) {
        LLVMValueRef from[2] = {copied_value(&s->copy, value_from(phi[k], s->latch)), x->in[k]};
        x->out[k] = LLVMBuildPhi(s->b, LLVMTypeOf(phi[k]), "carried");
        LLVMAddIncoming(x->out[k], from, preds, on ? 2 : 1);
    }
}

static void enter(Stride *s, Iteration *x, LLVMBasicBlockRef from, LLVMValueRef at, LLVMValueRef *carried) {
    Carried phi;
    LLVMAddIncoming(x->at, &at, &from, 1);
    for (int k = carried_phis(s, phi); k-- > 0;) LLVMAddIncoming(x->in[k], &carried[k], &from, 1);
}

/* At its end: the next iteration of a strip. more: there may be none. */
static void repeat(Stride *s, Iteration *x, LLVMBasicBlockRef from, LLVMBasicBlockRef after, bool more) {
    LLVMTypeRef i32 = LLVMInt32TypeInContext(s->m->ctx);
    LLVMPositionBuilderBefore(s->b, LLVMGetFirstInstruction(x->head));
    LLVMValueRef k = LLVMBuildPhi(s->b, i32, "k");
    LLVMPositionBuilderAtEnd(s->b, x->end);
    LLVMValueRef at = add_without_wrap(s, x->at, s->step, ""),
                 next = LLVMBuildNUWAdd(s->b, k, LLVMConstInt(i32, 1, 0), ""),
                 again = LLVMBuildICmp(s->b, LLVMIntULT, next, LLVMConstInt(i32, (uint64_t)COST_STRIP, 0), "");
    if (more) {
        LLVMValueRef left = LLVMBuildICmp(s->b, s->is_signed ? LLVMIntSLT : LLVMIntULT, at, s->n, "");
        again = LLVMBuildAnd(s->b, again, left, "");
    }
    LLVMValueRef branch = LLVMBuildCondBr(s->b, again, x->head, after), values[2] = {LLVMConstNull(i32), next};
    if (more) forbid_unrolling(branch, LOOP_STRIP);
    LLVMBasicBlockRef preds[2] = {from, x->end};
    LLVMAddIncoming(k, values, preds, 2);
    enter(s, x, x->end, at, x->out);
}

/* ---- the new loop ---- */

/* Edges from the header to `after` come from the new header as well. */
static void leave_to(Stride *s, LLVMBasicBlockRef header) {
    for_each_phi(p, s->after) {
        LLVMValueRef v = NULL;
        for (unsigned k = 0; k < LLVMCountIncoming(p); k++)
            if (LLVMGetIncomingBlock(p, k) == s->header) v = copied_value(&s->copy, LLVMGetIncomingValue(p, k));
        LLVMAddIncoming(p, &v, &header, 1);
    }
}

/* An accumulator in memory: an element that does not depend on the iteration. */
static bool accumulates(const Stride *s, LLVMValueRef i) {
    return LLVMIsAStoreInst(i) && !cfg_in_loop(s->c, s->loop, LLVMGetOperand(i, 1));
}

/* Bodies so small that loading and storing what they carry takes a good part of their time. Where the loop is one of
** the block alone that is in the first level of the cache, and the block reads one interval. */
static bool is_strip_mined(const Stride *s) {
    if (!s->block) return false;
    Carried phi;
    const Loop *l = &s->c->l[s->loop];
    int size = 0;
    bool carries = carried_phis(s, phi) > 0;
    for (int b = l->first; b <= l->last; b++) {
        if (s->c->b[b].loop != s->loop) return false;
        for_each_in_block(i, s->c->b[b].bb) size++, carries |= accumulates(s, i);
    }
    return carries && size <= (int)GROWTH_STRIP;
}

/* Before the loop: (COST_STRIP - 1) * step, or more than any n - at. */
static LLVMValueRef build_span(Stride *s, LLVMBasicBlockRef before) {
    LLVMTypeRef t = LLVMTypeOf(s->step);
    uint64_t steps = (uint64_t)COST_STRIP - 1, maximum = UINT64_MAX >> (64 - LLVMGetIntTypeWidth(t));
    LLVMPositionBuilderBefore(s->b, LLVMGetBasicBlockTerminator(before));
    LLVMValueRef span = LLVMBuildMul(s->b, s->step, LLVMConstInt(t, steps, 0), "");
    LLVMValueRef fits = LLVMBuildICmp(s->b, LLVMIntULE, s->step, LLVMConstInt(t, maximum / steps, 0), "");
    return LLVMBuildSelect(s->b, fits, span, LLVMConstInt(t, maximum, 0), "span");
}

/* From `strip` on. Returns the end, and in at and carried the values there. */
static LLVMBasicBlockRef build_strip(Stride *s, LLVMBasicBlockRef strip, LLVMValueRef off, LLVMValueRef *at,
                                     Carried carried) {
    Iteration fast = {insert_block(s->after, "fast"), insert_block(s->after, "fast.next"), NULL, {0}, {0}},
              slow = {insert_block(s->after, "slow"), insert_block(s->after, "slow.next"), NULL, {0}, {0}};
    LLVMBasicBlockRef to_fast = insert_block(s->after, "to.fast"), to_slow = insert_block(s->after, "to.slow"),
                      end = insert_block(s->after, "strip.end"), preds[2] = {fast.end, slow.end};
    LLVMValueRef span = build_span(s, s->before);
    LLVMPositionBuilderAtEnd(s->b, strip);
    LLVMValueRef left = LLVMBuildSub(s->b, s->n, *at, "left"),
                 whole = LLVMBuildICmp(s->b, LLVMIntULT, span, left, "whole"),
                 rest = LLVMBuildSub(s->b, left, span, ""), none = LLVMConstNull(LLVMTypeOf(left)),
                 room = LLVMBuildSelect(s->b, whole, rest, none, "room"), last = LLVMBuildAdd(s->b, *at, span, ""),
                 next = LLVMBuildSelect(s->b, whole, LLVMBuildAdd(s->b, last, s->step, ""), s->n, "next");
    LLVMBuildCondBr(s->b, LLVMBuildICmp(s->b, LLVMIntULT, off, room, "all"), to_fast, to_slow);
    LLVMPositionBuilderAtEnd(s->b, to_fast);
    LLVMBuildBr(s->b, fast.head);
    LLVMPositionBuilderAtEnd(s->b, to_slow);
    LLVMBuildBr(s->b, slow.head);
    build_body(s, &fast, off, true);
    build_body(s, &slow, off, false);
    enter(s, &fast, to_fast, *at, carried);
    enter(s, &slow, to_slow, *at, carried);
    repeat(s, &fast, to_fast, end, false);
    repeat(s, &slow, to_slow, end, true);
    LLVMPositionBuilderAtEnd(s->b, end);
    Carried phi;
    int n = carried_phis(s, phi);
    for (int k = 0; k < n; k++) {
        LLVMValueRef from[2] = {fast.out[k], slow.out[k]};
        carried[k] = LLVMBuildPhi(s->b, LLVMTypeOf(phi[k]), "carried");
        LLVMAddIncoming(carried[k], from, preds, 2);
    }
    *at = next;
    return end;
}

static LLVMBasicBlockRef build_step(Stride *s, LLVMBasicBlockRef test, LLVMBasicBlockRef from, LLVMValueRef off,
                                    LLVMValueRef *at, Carried carried) {
    Iteration x = {test, insert_block(s->after, "step.end"), NULL, {0}, {0}};
    build_body(s, &x, off, false);
    enter(s, &x, from, *at, carried);
    LLVMPositionBuilderAtEnd(s->b, x.end);
    *at = add_without_wrap(s, x.at, s->step, "");
    memcpy(carried, x.out, sizeof x.out);
    return x.end;
}

void build_grid_loop(Stride *s) {
    LLVMBasicBlockRef header = insert_block(s->after, "steps"), test = insert_block(s->after, "test");
    Carried phi, first, carried;
    int n = carried_phis(s, phi);
    LLVMValueRef off, branch = LLVMGetBasicBlockTerminator(s->before), id = const_i32(s->c->fn, BARRIER_OF_LOOP);
    LLVMSetCurrentDebugLocation2(s->b, LLVMInstructionGetDebugLoc(LLVMGetBasicBlockTerminator(s->header)));
    LLVMValueRef base = build_preheader(s, header, &off);
    LLVMInstructionEraseFromParent(branch);
    LLVMPositionBuilderAtEnd(s->b, header);
    LLVMValueRef begin = LLVMBuildPhi(s->b, LLVMTypeOf(s->i), "at"), at = begin;
    for (int k = 0; k < n; k++) first[k] = carried[k] = LLVMBuildPhi(s->b, LLVMTypeOf(phi[k]), "");
    LLVMBuildCondBr(s->b, LLVMBuildICmp(s->b, s->is_signed ? LLVMIntSLT : LLVMIntULT, at, s->n, ""), test, s->after);
    LLVMBasicBlockRef end =
        is_strip_mined(s) ? build_strip(s, test, off, &at, carried) : build_step(s, test, header, off, &at, carried);
    name_call(s->b, s->m->mod, NAME_BARRIER, &id, 1, "");
    LLVMBuildBr(s->b, header);
    LLVMValueRef from[2] = {base, at};
    LLVMBasicBlockRef preds[2] = {s->before, end};
    LLVMAddIncoming(begin, from, preds, 2);
    for (int k = 0; k < n; k++) {
        LLVMValueRef values[2] = {value_from(phi[k], s->before), carried[k]};
        LLVMAddIncoming(first[k], values, preds, 2);
        map_put(&s->copy, phi[k], (uintptr_t)first[k]);
    }
    leave_to(s, header);
    if (s->block) {
        LLVMValueRef blocks = const_i32(s->c->fn, BARRIER_OF_BLOCKS);
        LLVMPositionBuilderBefore(s->b, first_after_phis(s->after));
        name_call(s->b, s->m->mod, NAME_BARRIER, &blocks, 1, "");
    }
    cfg_loop_add_property(s->c, s->loop, LOOP_RARE, NULL);
}
