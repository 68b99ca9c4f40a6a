/* distribute_iterations: consecutive iterations that one thread makes are distributed cyclically among the threads.
**
**   for (q = 0; q < 4; q++)                      for (q = 0; q < 4; q++)
**       body(base + 4 * threadIdx.x + q)             body(base + q * blockDim.x + threadIdx.x)
**
** in:  scalar code, before loops are rotated
** out: the loop on the right: the threads of the block make the same iterations, each of them others; and, where that
**      needs arguments that do not overlap, the one on the left for other launches, after a test of cucpu.apart
**
** Neighbouring threads then access neighbouring elements, as in the kernel with one element per thread: rows of vectors
** instead of gathers, whatever is in the body. Fires on outermost loops of a constant trip count K that all threads
** enter, in which whatever differs between threads is a function of K * t + q, where t is the index of the thread in
** its row, or in the block. Loops from K * t to min(K * t + K, n) become loops of K iterations with a test; a thread
** that has reached n, and would leave the loop, skips its other iterations.
**
** Order: nothing orders iterations of different threads, but those of one thread. So two iterations may not access the
** same element, unless both only load it or both are commutative integer atomics: of each array that the loop stores
** to, all accesses are at c * i + constants within c bytes. Different arrays are apart (promote_accumulators tells what
** the runtime tests). Accesses of the kernel outside of the loop are separated from it by a barrier, or do not
** conflict.
** Refused: values carried from iteration to iteration, calls that may synchronise, local arrays. */
#include "passes/scalar/distribute_iterations.h"
#include "passes/ir/clone_blocks.h"
#include "passes/ir/edit_cfg.h"
#include "passes/ir/shim.h"
#include "passes/ir/slice.h"
#include <llvm-c/DebugInfo.h>

/* ---- what threads of a row, plane or block share ---- */

static LLVMValueRef given_at_start(const void *context, LLVMValueRef v) {
    (void)context;
    return LLVMIsAConstantInt(v) || LLVMIsAArgument(v) ? v : NULL;
}

/* tid.y and tid.z are the same for the threads of a row. */
static bool is_fixed_call(const void *context, LLVMValueRef i) {
    const Distribution *d = context;
    Name n = name_of_call(i);
    if (n == NAME_TID_Y || n == NAME_TID_Z) return d->dimensions <= (unsigned)(n - NAME_TID_X);
    if (n != NAME_NONE) return n >= NAME_NTID_X && n <= NAME_NCTAID_Z;
    return is_int_min_max(i);
}

static Slice fixed_slice(const Distribution *d) {
    return (Slice){given_at_start, d,     OP_ADD | OP_MUL | OP_SHIFT | OP_BITWISE | OP_INT_CAST | OP_ICMP | OP_SELECT,
                   is_fixed_call,  DEPTH, SLICE_DROP_FLAGS,
                   false};
}

static bool is_fixed(const Distribution *d, LLVMValueRef v, int depth) {
    Slice slice = fixed_slice(d);
    if (!LLVMIsAInstruction(v) || name_of_call(v) == NAME_SHARED || slice_can_clone(&slice, v)) return true;
    if (!is_op(v, OP_GEP | OP_PTR_CAST) || depth == DEPTH) return false;
    for (int k = 0; k < LLVMGetNumOperands(v); k++)
        if (!is_fixed(d, LLVMGetOperand(v, (unsigned)k), depth + 1)) return false;
    return true;
}

static LLVMValueRef outside_loop(const void *context, LLVMValueRef v) {
    const Distribution *d = context;
    return cfg_in_loop(d->c, d->loop, v) ? NULL : v;
}

static LLVMValueRef hoisted(Distribution *d, LLVMValueRef v) {
    Slice slice = fixed_slice(d);
    PtrMap clones = map_new(d->a);
    slice.available = outside_loop;
    return slice_clone(&slice, d->b, v, &clones);
}

/* ---- functions of the index ---- */

static bool is_size(const void *context, LLVMValueRef v) {
    (void)context;
    Name n = name_of_call(affine_narrow_id(v));
    return n == NAME_NTID_X || n == NAME_NTID_Y;
}

/* threadIdx of this dimension, times the sizes of the lower ones. */
static bool is_part_of_thread(const AffineTerm *t, unsigned dimension) {
    bool sizes[2] = {false, false};
    if (name_of_call(t->v) != (Name)(NAME_TID_X + dimension)) return false;
    for (unsigned k = 0; k < AFFINE_SCALES; k++) {
        if (!t->scale[k]) return k == dimension && sizes[0] == (dimension > 0) && sizes[1] == (dimension > 1);
        sizes[name_of_call(affine_narrow_id(t->scale[k])) == NAME_NTID_Y] = true;
    }
    return false;
}

/* v = a * b + c, in any order: b is blockDim and c threadIdx of the dimension; a. */
static LLVMValueRef higher_part(LLVMValueRef v, unsigned dimension) {
    for (unsigned k = 0; k < 2 && opcode(v) == LLVMAdd; k++) {
        LLVMValueRef product = LLVMGetOperand(v, k);
        if (name_of_call(LLVMGetOperand(v, !k)) != (Name)(NAME_TID_X + dimension) || opcode(product) != LLVMMul)
            continue;
        for (unsigned j = 0; j < 2; j++)
            if (name_of_call(LLVMGetOperand(product, j)) == (Name)(NAME_NTID_X + dimension))
                return LLVMGetOperand(product, !j);
    }
    return NULL;
}

/* The number of dimensions of which v is the index of the thread in a plane or block; else 0. That is below 1024, so
** that it can be extended as a whole. */
static unsigned dimensions_of(LLVMValueRef v) {
    LLVMValueRef y = higher_part(v, 0), z = y ? higher_part(y, 1) : NULL;
    if (y && name_of_call(y) == NAME_TID_Y) return 2;
    return z && name_of_call(z) == NAME_TID_Z ? 3 : 0;
}

/* Removes `by` * t, and returns by; 0: there is none. */
static int64_t take_thread(Affine *a, unsigned *dimensions) {
    int64_t by = 0;
    for (int k = 0; k < a->n; k++) {
        *dimensions = dimensions_of(a->term[k].v);
        if (*dimensions && !a->term[k].scale[0]) return affine_take(a, a->term[k].v);
    }
    for (*dimensions = 0; *dimensions < 3; ++*dimensions) {
        bool found = false;
        for (int k = 0; k < a->n && !found; k++) {
            if (!is_part_of_thread(&a->term[k], *dimensions) || (by && a->term[k].factor != by)) continue;
            by = a->term[k].factor;
            a->term[k] = a->term[--a->n];
            found = true;
        }
        if (!found) break;
    }
    return by;
}

static bool is_fixed_form(const Distribution *d, const Affine *a) {
    for (int k = 0; k < a->n; k++)
        if (!is_fixed(d, a->term[k].v, 0)) return false;
    return true;
}

/* v = F * (K * t + q) + rest; `start`: v is the counter's first value, where there is no q. */
static bool read_root(Distribution *d, LLVMValueRef v, bool start, Root *r) {
    AffineRules rules = {.flags = AFFINE_TRUST_FLAGS, .is_scale = is_size};
    *r = (Root){.v = v, .factor = 1};
    unsigned dimensions;
    if (!affine_of(&rules, v, AFFINE_SAME, &r->rest)) return false;
    if (!start) r->factor = affine_take(&r->rest, d->counter);
    int64_t by = take_thread(&r->rest, &dimensions);
    if (!by || !r->factor || (d->dimensions && d->dimensions != dimensions)) return false;
    if (start && !d->trips) d->trips = by;
    if (by != r->factor * d->trips) return false;
    unsigned before = d->dimensions;
    d->dimensions = dimensions;
    if (is_fixed_form(d, &r->rest)) return true;
    d->dimensions = before;
    return false;
}

/* ---- the loop ---- */

static bool find_exits(Distribution *d) {
    const Loop *l = &d->c->l[d->loop];
    for (int b = l->first; b <= l->last; b++)
        for (int k = 0; k < d->c->b[b].nsucc; k++) {
            if (b == l->header || cfg_loop_contains(d->c, d->loop, d->c->b[b].succ[k])) continue;
            if (d->leaves || d->c->b[b].nsucc != 2 || d->c->b[d->c->b[b].succ[k]].bb != d->after) return false;
            d->leaves = d->c->b[b].bb;
        }
    return !LLVMIsAPHINode(LLVMGetFirstInstruction(d->after));
}

static bool find_loop(Distribution *d) {
    const Loop *l = &d->c->l[d->loop];
    const Block *h = &d->c->b[l->header];
    if (l->depth != 1 || l->nlatches != 1 || h->npred != 2 || h->nsucc != 2 || !cfg_postdominates(d->c, l->header, 0))
        return false;
    d->header = h->bb;
    d->latch = d->c->b[l->latches[0]].bb;
    d->before = d->c->b[h->pred[h->pred[0] == l->latches[0]]].bb;
    for (int k = 0; k < 2; k++)
        if (!cfg_loop_contains(d->c, d->loop, h->succ[k])) {
            d->after = d->c->b[h->succ[k]].bb;
            d->body = d->c->b[h->succ[!k]].bb;
        }
    return d->after && d->body != d->header && d->latch != d->header &&
           LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(d->before)) == 1 &&
           LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(d->latch)) == 1 && find_exits(d);
}

/* The body uses i + 1 as well: the increment of the counter is one of its own, in the latch. */
static void separate_increment(Distribution *d) {
    set_insert_point(d->b, LLVMGetBasicBlockTerminator(d->latch));
    LLVMValueRef own = clone_at(d->b, d->next);
    for (unsigned k = 0; k < LLVMCountIncoming(d->counter); k++)
        if (LLVMGetIncomingValue(d->counter, k) == d->next) LLVMSetOperand(d->counter, k, own);
    d->next = own;
}

static LLVMValueRef only_user(LLVMValueRef v) {
    LLVMUseRef use = LLVMGetFirstUse(v);
    return use && !LLVMGetNextUse(use) ? LLVMGetUser(use) : NULL;
}

/* The header has one phi, which goes up by 1, and a test of it. */
static bool find_counter(Distribution *d, LLVMValueRef *limit) {
    d->counter = LLVMGetFirstInstruction(d->header);
    d->test = LLVMGetCondition(LLVMGetBasicBlockTerminator(d->header));
    if (!LLVMIsAPHINode(d->counter) || !is_integer(d->counter) || !LLVMIsAICmpInst(d->test)) return false;
    d->next = value_from(d->counter, d->latch);
    if (opcode(d->next) != LLVMAdd || LLVMGetOperand(d->next, 0) != d->counter ||
        !is_constant(LLVMGetOperand(d->next, 1), 1))
        return false;
    if (only_user(d->next) != d->counter || LLVMGetInstructionParent(d->next) != d->latch) separate_increment(d);
    unsigned at = LLVMGetOperand(d->test, 0) != d->counter;
    if (LLVMGetOperand(d->test, at) != d->counter) return false;
    *limit = LLVMGetOperand(d->test, !at);
    d->below = LLVMGetICmpPredicate(d->test);
    if (at) d->below = swapped_predicate(d->below);
    if (LLVMGetSuccessor(LLVMGetBasicBlockTerminator(d->header), 0) != d->body) d->below = inverse_predicate(d->below);
    return d->below == LLVMIntSLT || d->below == LLVMIntULT || d->below == LLVMIntNE;
}

/* Beside the counter and its test the header has nothing that differs between threads. */
static bool has_plain_header(const Distribution *d) {
    if (only_user(d->test) != LLVMGetBasicBlockTerminator(d->header)) return false;
    for_each_in_block(v, d->header)
        if (v != d->counter && v != d->test && !LLVMIsATerminatorInst(v) && !is_fixed(d, v, 0) &&
            !(only_user(v) == d->test))
            return false;
    return true;
}

/* for (q = 0; q < 4; q++) */
static bool counts_iterations(Distribution *d, LLVMValueRef limit) {
    LLVMValueRef start = value_from(d->counter, d->before);
    if (!LLVMIsAConstantInt(start) || !LLVMIsAConstantInt(limit)) return false;
    d->first = LLVMConstIntGetSExtValue(start);
    d->trips = LLVMConstIntGetSExtValue(limit) - d->first;
    return d->first >= 0 && d->trips > 1 && d->trips <= MAX_TRIPS;
}

/* end = start + K. */
static bool ends_interval(Distribution *d, LLVMValueRef start, LLVMValueRef end) {
    AffineRules sums = {.flags = AFFINE_TRUST_FLAGS};
    Affine a, b;
    if (!affine_of(&sums, end, AFFINE_SAME, &a) || !affine_of(&sums, start, AFFINE_SAME, &b)) return false;
    bool same = a.n == b.n && a.constant - b.constant == d->trips;
    for (int k = 0; k < a.n && same; k++)
        same = a.term[k].v == b.term[k].v && a.term[k].factor == b.term[k].factor && a.term[k].by == b.term[k].by;
    d->bounded_exactly = opcode(end) == LLVMAdd && LLVMGetOperand(end, 0) == start &&
                         (d->below == LLVMIntSLT ? LLVMGetNSW(end) : LLVMGetNUW(end));
    return same;
}

/* limit = min(x, y), by an intrinsic or a select. */
static bool split_minimum(const Distribution *d, LLVMValueRef limit, LLVMValueRef xy[2]) {
    LLVMIntPredicate p;
    if (min_max_predicate(limit, &p)) {
        xy[0] = LLVMGetOperand(limit, 0), xy[1] = LLVMGetOperand(limit, 1);
        return p == d->below || p == (d->below == LLVMIntSLT ? LLVMIntSLE : LLVMIntULE);
    }
    if (!LLVMIsASelectInst(limit) || !LLVMIsAICmpInst(LLVMGetOperand(limit, 0))) return false;
    LLVMValueRef c = LLVMGetOperand(limit, 0);
    xy[0] = LLVMGetOperand(limit, 1), xy[1] = LLVMGetOperand(limit, 2);
    p = LLVMGetICmpPredicate(c);
    if (LLVMGetOperand(c, 0) == xy[1] && LLVMGetOperand(c, 1) == xy[0]) p = swapped_predicate(p);
    else if (LLVMGetOperand(c, 0) != xy[0] || LLVMGetOperand(c, 1) != xy[1]) return false;
    return p == d->below || p == (d->below == LLVMIntSLT ? LLVMIntSLE : LLVMIntULE);
}

static bool is_power_of_two(int64_t n) { return n > 0 && !(n & (n - 1)); }

/* The first index of each thread is a multiple of K, a power of two: no interval contains a wrap around. */
static bool is_aligned(const Distribution *d, const Root *r) {
    bool aligned = is_power_of_two(d->trips) && r->factor == 1 && r->rest.constant % d->trips == 0;
    for (int k = 0; k < r->rest.n; k++) {
        const AffineTerm *t = &r->rest.term[k];
        aligned &= t->v == d->counter || t->factor % d->trips == 0;
    }
    return aligned;
}

/* for (i = K * t; i < min(K * t + K, n); i++) */
static bool counts_elements(Distribution *d, LLVMValueRef limit) {
    LLVMValueRef start = value_from(d->counter, d->before), xy[2];
    Root *r = &d->root[0];
    if (d->below == LLVMIntNE || !read_root(d, start, true, r)) return false;
    r->v = d->counter;
    d->nroots = 1;
    d->own = true;
    if (d->trips <= 1 || d->trips > MAX_TRIPS || d->leaves) return false;
    if (ends_interval(d, start, limit)) return d->bounded_exactly || is_aligned(d, r);
    if (!split_minimum(d, limit, xy)) return false;
    for (unsigned k = 0; k < 2; k++)
        if (ends_interval(d, start, xy[k]) && is_fixed(d, xy[!k], 0)) {
            d->bound = xy[!k];
            return d->bounded_exactly || is_aligned(d, r);
        }
    return false;
}

/* ---- what the loop computes ---- */

static bool is_mixed(const Distribution *d, LLVMValueRef v) {
    if (v == d->counter) return !d->own;
    if (!LLVMIsAInstruction(v)) return false;
    if (cfg_in_loop(d->c, d->loop, v)) return map_get(&d->mixed, v, 0);
    return !is_fixed(d, v, 0);
}

static bool has_mixed_operand(const Distribution *d, LLVMValueRef i) {
    for (unsigned k = 0; k < value_operands(i); k++)
        if (is_mixed(d, LLVMGetOperand(i, k))) return true;
    return false;
}

static bool is_control(const Distribution *d, LLVMValueRef i) {
    return i == d->counter || i == d->next || i == d->test;
}

static bool find_roots(Distribution *d) {
    for_each_loop_instruction(i, b, d->c, &d->c->l[d->loop]) {
        if (is_control(d, i) || LLVMIsAPHINode(i) || !has_mixed_operand(d, i)) continue;
        if (!is_integer(i) || !is_op(i, OP_ADD | OP_MUL | OP_SHL | OP_INT_CAST)) return false;
        if (d->nroots == MAX_ROOTS) return false;
        if (read_root(d, i, false, &d->root[d->nroots])) d->nroots++;
        else map_put(&d->mixed, i, 1);
    }
    return d->nroots > 0;
}

/* Nothing in the loop depends on the thread or the iteration but by the index; no value leaves it. */
static bool is_function_of_index(const Distribution *d) {
    for_each_loop_instruction(i, b, d->c, &d->c->l[d->loop]) {
        for_each_user(user, i)
            if (!cfg_in_loop(d->c, d->loop, user)) return false;
        if (is_control(d, i) || map_get(&d->mixed, i, 0)) continue;
        bool root = false;
        for (int k = 0; k < d->nroots; k++) root |= d->root[k].v == i;
        if (!root && has_mixed_operand(d, i)) return false;
    }
    return true;
}

/* The block leaves the loop where an index has reached a bound: the following ones have, too. */
static bool leaves_at_bound(const Distribution *d) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(d->leaves), c = LLVMGetCondition(t);
    if (!LLVMIsAICmpInst(c)) return false;
    bool stays = LLVMGetSuccessor(t, 0) != d->after;
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef v = LLVMGetOperand(c, k);
        const Root *r = root_of(d, v);
        LLVMIntPredicate p = k ? swapped_predicate(LLVMGetICmpPredicate(c)) : LLVMGetICmpPredicate(c);
        if (!stays) p = inverse_predicate(p);
        if (!r || r->factor != 1 || !is_less_predicate(p) || !is_fixed(d, LLVMGetOperand(c, !k), 0)) continue;
        bool is_signed = p == LLVMIntSLT || p == LLVMIntSLE;
        return is_aligned(d, r) || (opcode(v) == LLVMAdd && (is_signed ? LLVMGetNSW(v) : LLVMGetNUW(v)));
    }
    return false;
}

/* ---- the new loop ---- */

static LLVMValueRef as_type(Distribution *d, LLVMValueRef v, LLVMTypeRef t, AffineExtension by) {
    if (int_bits(v) == LLVMGetIntTypeWidth(t)) return v;
    if (int_bits(v) > LLVMGetIntTypeWidth(t)) return LLVMBuildTrunc(d->b, v, t, "");
    return by == AFFINE_SIGNED ? LLVMBuildSExt(d->b, v, t, "") : LLVMBuildZExt(d->b, v, t, "");
}

static LLVMValueRef id_of(Distribution *d, Name n, LLVMTypeRef t) {
    return as_type(d, name_call(d->b, d->m->mod, n, NULL, 0, ""), t, AFFINE_UNSIGNED);
}

/* The number of threads in a row, plane or block. */
static LLVMValueRef build_threads(Distribution *d, LLVMTypeRef t, unsigned dimensions) {
    LLVMValueRef n = id_of(d, NAME_NTID_X, t);
    for (unsigned k = 1; k < dimensions; k++)
        n = LLVMBuildMul(d->b, n, id_of(d, (Name)(NAME_NTID_X + k), t), "threads");
    return n;
}

static LLVMValueRef build_thread(Distribution *d, LLVMTypeRef t) {
    LLVMValueRef at = id_of(d, NAME_TID_X, t);
    for (unsigned k = 1; k < d->dimensions; k++)
        at = LLVMBuildAdd(d->b, LLVMBuildMul(d->b, id_of(d, (Name)(NAME_TID_X + k), t), build_threads(d, t, k), ""), at,
                          "thread");
    return at;
}

static LLVMValueRef times(Distribution *d, LLVMValueRef v, int64_t by) {
    return by == 1 ? v : LLVMBuildMul(d->b, v, const_int_of(v, by), "");
}

/* F * (t + first) + rest, before the loop. */
static LLVMValueRef build_start(Distribution *d, const Root *r, LLVMTypeRef t) {
    LLVMValueRef sum = NULL;
    for (int k = 0; k < r->rest.n; k++) {
        const AffineTerm *x = &r->rest.term[k];
        LLVMValueRef v = as_type(d, hoisted(d, x->v), t, x->by);
        for (unsigned s = 0; s < AFFINE_SCALES && x->scale[s]; s++)
            v = LLVMBuildMul(d->b, v, as_type(d, hoisted(d, x->scale[s]), t, AFFINE_UNSIGNED), "");
        v = times(d, v, x->factor);
        sum = sum ? LLVMBuildAdd(d->b, sum, v, "") : v;
    }
    LLVMValueRef own = times(d, build_thread(d, t), r->factor);
    int64_t constant = r->rest.constant + r->factor * d->first; /* the counter was part of the root */
    sum = sum ? LLVMBuildAdd(d->b, sum, own, "start") : own;
    return constant ? LLVMBuildAdd(d->b, sum, LLVMConstInt(t, (uint64_t)constant, 1), "start") : sum;
}

/* The index of iteration q, before the instruction: start + F * threads * q. */
static LLVMValueRef build_index(Distribution *d, const Root *r, LLVMValueRef q, LLVMValueRef before) {
    LLVMTypeRef t = LLVMTypeOf(r->v);
    set_insert_point(d->b, LLVMGetBasicBlockTerminator(d->before));
    LLVMValueRef start = build_start(d, r, t), step = times(d, build_threads(d, t, d->dimensions), r->factor);
    set_insert_point(d->b, before);
    q = as_type(d, q, t, AFFINE_SIGNED);
    if (d->first) q = LLVMBuildSub(d->b, q, const_int_of(q, d->first), "");
    return LLVMBuildAdd(d->b, start, LLVMBuildMul(d->b, q, step, ""), "i");
}

/* The loop's end is a block of its own, to which an iteration may skip: with the increment of the counter. */
static LLVMBasicBlockRef split_latch(Distribution *d) {
    LLVMBasicBlockRef latch = copied_block(&d->copy, d->latch);
    LLVMValueRef next = copied_value(&d->copy, d->next);
    LLVMBasicBlockRef end = shim_split_block(LLVMGetBasicBlockTerminator(latch), "latch");
    LLVMInstructionRemoveFromParent(next);
    LLVMPositionBuilderBefore(d->b, LLVMGetFirstInstruction(end));
    LLVMInsertIntoBuilder(d->b, next);
    return end;
}

/* Where a thread would leave the loop it goes to the next iteration, in which it would leave it again. */
static void skip_iterations(Distribution *d) {
    LLVMValueRef t = LLVMGetBasicBlockTerminator(copied_block(&d->copy, d->leaves));
    LLVMBasicBlockRef end = split_latch(d);
    for (unsigned k = 0; k < 2; k++)
        if (LLVMGetSuccessor(t, k) == d->after) LLVMSetSuccessor(t, k, end);
}

/* The bound, so that no index at or after it was one of the loop: the last interval may end where indices wrap around,
** and then had no iterations. */
static LLVMValueRef build_bound(Distribution *d) {
    LLVMTypeRef t = LLVMTypeOf(d->counter);
    bool is_signed = d->below == LLVMIntSLT;
    LLVMValueRef n = hoisted(d, d->bound);
    if (d->bounded_exactly) return n;
    uint64_t last = (UINT64_MAX >> (64 - LLVMGetIntTypeWidth(t) + is_signed)) - (uint64_t)d->trips + 1;
    return build_intrinsic2(d->b, is_signed ? "llvm.smin" : "llvm.umin", n, LLVMConstInt(t, last, 0));
}

/* A block before the body, for the index; returns its branch. */
static LLVMValueRef insert_check(Distribution *d, LLVMBasicBlockRef header, LLVMBasicBlockRef body) {
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(header);
    LLVMBasicBlockRef check = insert_block(body, "index");
    LLVMPositionBuilderAtEnd(d->b, check);
    LLVMSetCurrentDebugLocation2(d->b, LLVMInstructionGetDebugLoc(branch));
    LLVMValueRef jump = LLVMBuildBr(d->b, body);
    redirect_phis(body, header, check);
    for (unsigned k = 0; k < 2; k++)
        if (LLVMGetSuccessor(branch, k) == body) LLVMSetSuccessor(branch, k, check);
    return jump;
}

/* q of the new loop goes from 0 to K in place of the old counter. */
static LLVMValueRef build_counter(Distribution *d, LLVMBasicBlockRef header, LLVMBasicBlockRef body,
                                  LLVMBasicBlockRef end) {
    LLVMTypeRef t = LLVMTypeOf(d->counter);
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(header), none = LLVMConstNull(t);
    LLVMPositionBuilderBefore(d->b, LLVMGetFirstInstruction(header));
    LLVMValueRef q = LLVMBuildPhi(d->b, t, "q");
    set_insert_point(d->b, LLVMGetBasicBlockTerminator(end));
    LLVMValueRef more = LLVMBuildNUWAdd(d->b, q, LLVMConstInt(t, 1, 0), "");
    LLVMAddIncoming(q, &none, &d->before, 1);
    LLVMAddIncoming(q, &more, &end, 1);
    bool first = LLVMGetSuccessor(branch, 0) == body;
    set_insert_point(d->b, branch);
    LLVMSetCondition(
        branch, LLVMBuildICmp(d->b, first ? LLVMIntULT : LLVMIntUGE, q, LLVMConstInt(t, (uint64_t)d->trips, 0), ""));
    return q;
}

/* Index and counter are one phi: it becomes a counter of iterations, and the index is computed from it. */
static void separate_counter(Distribution *d) {
    LLVMValueRef phi = copied_value(&d->copy, d->counter), bound = NULL;
    LLVMBasicBlockRef header = copied_block(&d->copy, d->header), body = copied_block(&d->copy, d->body),
                      end = split_latch(d);
    LLVMValueRef q = build_counter(d, header, body, end), jump = insert_check(d, header, body);
    LLVMInstructionEraseFromParent(copied_value(&d->copy, d->test));
    if (d->bound) {
        set_insert_point(d->b, LLVMGetBasicBlockTerminator(d->before));
        bound = build_bound(d);
    }
    LLVMValueRef i = build_index(d, &d->root[0], q, jump);
    LLVMReplaceAllUsesWith(phi, i);
    erase_instruction(copied_value(&d->copy, d->next));
    LLVMInstructionEraseFromParent(phi);
    if (bound) replace_by_branch(d->b, jump, LLVMBuildICmp(d->b, d->below, i, bound, "on"), body, end);
}

/* The loop as it was stays, for launches whose arguments overlap. */
static void copy_loop(Distribution *d) {
    const Loop *l = &d->c->l[d->loop];
    bool *has = arena_array(d->a, bool, d->c->n);
    for (int b = l->first; b <= l->last; b++) has[b] = true;
    LLVMBasicBlockRef *block = clone_blocks(d->a, d->c, has, l->header, "distributed", &d->copy);
    for (int b = l->first; b <= l->last; b++) map_put(&d->copy, d->c->b[b].bb, (uintptr_t)block[b]);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(d->before);
    set_insert_point(d->b, end);
    LLVMValueRef apart = name_call(d->b, d->m->mod, NAME_APART, NULL, 0, "");
    LLVMValueRef is_apart = LLVMBuildICmp(d->b, LLVMIntNE, apart, LLVMConstNull(LLVMTypeOf(apart)), "apart");
    replace_by_branch(d->b, end, is_apart, block[l->header], d->header);
    cfg_loop_add_property(d->c, d->loop, LOOP_RARE, NULL);
    unsigned known[3];
    fn_attr_three(d->c->fn, ATTR_APART, known);
    fn_set_attr(d->c->fn, ATTR_APART,
                arena_printf(&d->m->arena, "%u,%u,0", known[0] | d->assumed, known[1] | d->accessed));
}

static void distribute(Distribution *d) {
    diag_remark(&d->m->diag, d->test, DISTRIBUTED, (long)d->trips,
                d->assumed ? ", where arguments point to allocations of their own" : "");
    if (d->assumed) copy_loop(d);
    if (d->own) {
        separate_counter(d);
        return;
    }
    if (d->leaves) skip_iterations(d);
    LLVMValueRef counter = copied_value(&d->copy, d->counter);
    for (int k = 0; k < d->nroots; k++) {
        LLVMValueRef old = copied_value(&d->copy, d->root[k].v);
        LLVMReplaceAllUsesWith(old, build_index(d, &d->root[k], counter, old));
    }
}

static bool distribute_one(Module *m, LLVMBuilderRef b, LLVMValueRef fn) {
    Arena a = {0};
    const Cfg *c = cfg_build(&a, fn);
    bool done = false;
    for (int l = 0; l < c->nloops && c->reducible && !done; l++) {
        Distribution d = {.m = m, .a = &a, .b = b, .c = c, .loop = l};
        LLVMValueRef limit;
        map_init(&d.copy, &a);
        map_init(&d.mixed, &a);
        if (!find_loop(&d) || cfg_loop_has_property(c, l, LOOP_RARE) || !find_counter(&d, &limit) ||
            !has_plain_header(&d) || !(counts_iterations(&d, limit) || counts_elements(&d, limit)) || !find_roots(&d) ||
            !is_function_of_index(&d) || (d.leaves && !leaves_at_bound(&d)) || !may_distribute(&d))
            continue;
        distribute(&d);
        done = true;
    }
    arena_free(&a);
    return done;
}

bool distribute_iterations(Module *m) {
    if (pass_disabled(m, "distribute_iterations") || m->opt->opt_level == 0 || m->opt->check) return true;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(m->ctx);
    for_each_function(f, m->mod) {
        if (LLVMIsDeclaration(f) || !is_kernel(f)) continue;
        expose_source_loops(m, f);
        while (distribute_one(m, b, f)) {}
    }
    LLVMDisposeBuilder(b);
    return true;
}
