/* interpret.c: the reference: runs a program thread by thread.
**
** The threads of a block run one after another up to the next barrier (or their end), then on.  On
** the way every access to block memory is checked: two threads that touch one element between the
** same two barriers, at least one of them writing, make the program invalid (atomics without
** results may meet).  So whatever order an implementation runs threads in, the result is the same. */
#include "tests/fuzz/interpret.h"
#include <math.h>
#include <stdlib.h>

enum { STEP_LIMIT = 40 * 1000 * 1000, NOBODY = -1, MANY = -2 };

/* Who touched an element since the last barrier. */
typedef struct Touch {
    int epoch, reader, writer, updater;
    unsigned filled; /* the last block that wrote it, + 1 */
} Touch;

typedef struct Thread {
    int pc; /* -1 = has returned */
    bool arrived, go; /* waits at pc; may go on */
    uint64_t *vars, vote, by, mask, result; /* of the barrier or warp-level function at pc */
    unsigned char *local; /* of all local arrays, LOCAL_ELEMS * 8 bytes each */
    unsigned tid[3];
} Thread;

typedef struct Machine {
    const Program *p;
    const Code *c, *functions;
    const Launch *l;
    unsigned char *memory[MAX_ARRAYS];
    Touch *touch[MAX_ARRAYS];
    Thread *threads;
    int nthreads, epoch;
    uint64_t *temps, args[2]; /* of the running function */
    int *label_at, *function_labels[MAX_FUNCTIONS];
    int depth; /* of calls */
    unsigned block;
    long steps;
    const char *invalid;
    Unwritten unwritten;
} Machine;

size_t array_bytes(const Array *x, unsigned blocks) {
    return (size_t)x->n * x->stride * (x->space == SPACE_GLOBAL ? blocks : 1);
}

/* ---- values ---- */

static uint64_t cut(Type t, uint64_t v) { return type_bits(t) == 64 ? v : v & ((UINT64_C(1) << type_bits(t)) - 1); }
static int64_t extend(Type t, uint64_t v) {
    unsigned up = 64 - type_bits(t);
    return (int64_t)(v << up) >> up;
}
static float as_f32(uint64_t v) {
    uint32_t w = (uint32_t)v;
    float f;
    memcpy(&f, &w, 4);
    return f;
}
static double as_f64(uint64_t v) {
    double d;
    memcpy(&d, &v, 8);
    return d;
}
static uint64_t of_f32(float f) {
    uint32_t w;
    memcpy(&w, &f, 4);
    return w;
}
static uint64_t of_f64(double d) {
    uint64_t w;
    memcpy(&w, &d, 8);
    return w;
}
static double as_f16(uint64_t v) {
    int e = v >> 10 & 31, m = v & 1023;
    double d = e == 31 ? m ? (double)NAN : (double)INFINITY : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
    return v >> 15 & 1 ? -d : d;
}

uint64_t half_bits(double x) {
    double a = fabs(x);
    int e;
    uint64_t sign = signbit(x) ? 0x8000 : 0;
    if (isnan(x)) return 0x7e00;
    if (a >= 65520) return sign | 0x7c00;
    if (a < ldexp(1, -14)) return sign | (uint64_t)rint(ldexp(a, 24));
    a = frexp(a, &e);
    return sign | (((uint64_t)(e + 14) << 10) + (uint64_t)rint(ldexp(a, 11)) - 1024); /* 2048: the next power of two */
}

static double real(Type t, uint64_t v) { return t == T_F16 ? as_f16(v) : t == T_F32 ? (double)as_f32(v) : as_f64(v); }
static uint64_t of_real(Type t, double x) { return t == T_F16 ? half_bits(x) : t == T_F32 ? of_f32((float)x) : of_f64(x); }

/* The smaller of two zeros is not defined by CUDA: a sum with 0 hides which it was.  Nor is the sign of a NaN. */
static double float_op(BinOp op, double x, double y) {
    switch (op) {
    case B_FADD: return x + y;
    case B_FSUB: return x - y;
    case B_FMUL: return x * y;
    case B_FDIV: return x / y;
    case B_FMIN: return fmin(x, y);
    case B_FMAX: return fmax(x, y);
    default: return copysign(x, isnan(y) ? 0 : y);
    }
}

static uint64_t float_binary(Type t, BinOp op, uint64_t a, uint64_t b) {
    if (t == T_F64) return of_f64(float_op(op, as_f64(a), as_f64(b)));
    if (t == T_F16) return half_bits(float_op(op, as_f16(a), as_f16(b))); /* sums and products of these are exact, quotients not near a middle */
    float x = as_f32(a), y = as_f32(b);
    if (op > B_FDIV) return of_f32((float)float_op(op, (double)x, (double)y));
    return of_f32(op == B_FADD ? x + y : op == B_FSUB ? x - y : op == B_FMUL ? x * y : x / y);
}

static uint64_t multiply_high(Type t, uint64_t a, uint64_t b, bool is_signed) {
    if (t == T_I64) return is_signed ? (uint64_t)((__int128)(int64_t)a * (int64_t)b >> 64) : (uint64_t)((unsigned __int128)a * b >> 64);
    return is_signed ? (uint64_t)(extend(t, a) * extend(t, b)) >> 32 : a * b >> 32;
}

static uint64_t rotate(Type t, uint64_t v, uint64_t by) {
    unsigned bits = type_bits(t), n = (unsigned)(by % bits);
    return n ? v << n | v >> (bits - n) : v;
}

static uint64_t int_binary(Type t, BinOp op, uint64_t a, uint64_t b) {
    int64_t sa = extend(t, a), sb = extend(t, b);
    switch (op) {
    case B_ADD: return a + b;
    case B_SUB: return a - b;
    case B_MUL: return a * b;
    case B_AND: return a & b;
    case B_OR: return a | b;
    case B_XOR: return a ^ b;
    case B_SHL: return a << b;
    case B_LSHR: return a >> b;
    case B_ASHR: return (uint64_t)(sa >> b);
    case B_SMIN: return sa < sb ? a : b;
    case B_SMAX: return sa > sb ? a : b;
    case B_UMIN: return a < b ? a : b;
    case B_UMAX: return a > b ? a : b;
    case B_ROTL: return rotate(t, a, b);
    case B_MULHI: return multiply_high(t, a, b, true);
    case B_UMULHI: return multiply_high(t, a, b, false);
    case B_UDIV: return a / b;
    case B_UREM: return a % b;
    case B_SDIV: return (uint64_t)(sa / sb);
    default: return (uint64_t)(sa % sb);
    }
}

static double float_unary(UnOp op, double x) {
    switch (op) {
    case U_SQRT: return sqrt(x);
    case U_FLOOR: return floor(x);
    case U_CEIL: return ceil(x);
    case U_TRUNC: return trunc(x);
    default: return rint(x);
    }
}

static uint64_t reverse(Type t, uint64_t v) {
    uint64_t r = 0;
    for (unsigned i = 0; i < type_bits(t); i++) r |= (v >> i & 1) << (type_bits(t) - 1 - i);
    return r;
}

static uint64_t unary(Type t, UnOp op, uint64_t a) {
    uint64_t sign = UINT64_C(1) << (type_bits(t) - 1);
    switch (op) {
    case U_POPC: return (uint64_t)__builtin_popcountll(a);
    case U_CLZ: return a ? (uint64_t)__builtin_clzll(a) - (64 - type_bits(t)) : type_bits(t);
    case U_CTZ: return a ? (uint64_t)__builtin_ctzll(a) : type_bits(t);
    case U_REVERSE: return reverse(t, a);
    case U_ABS: return extend(t, a) < 0 ? -a : a;
    case U_BSWAP: return __builtin_bswap64(a) >> (64 - type_bits(t));
    case U_FNEG: return a ^ sign;
    case U_FABS: return a & ~sign;
    default: return t == T_F32 ? op == U_SQRT ? of_f32(sqrtf(as_f32(a))) : of_f32((float)float_unary(op, (double)as_f32(a)))
                               : of_f64(float_unary(op, as_f64(a)));
    }
}

static uint64_t fused(Type t, uint64_t a, uint64_t b, uint64_t c) {
    return t == T_F32 ? of_f32(fmaf(as_f32(a), as_f32(b), as_f32(c))) : of_f64(fma(as_f64(a), as_f64(b), as_f64(c)));
}

static uint64_t funnel(Type t, bool right, uint64_t a, uint64_t b, uint64_t by) {
    unsigned bits = type_bits(t), n = (unsigned)(by % bits);
    if (!n) return right ? b : a;
    return right ? a << (bits - n) | b >> n : a << n | b >> (bits - n);
}

static uint64_t wide_product(int form, unsigned shift, uint64_t a, uint64_t b, uint64_t c) {
    unsigned __int128 x = form & WIDE_SIGNED_A ? (unsigned __int128)(int64_t)a : a;
    unsigned __int128 y = form & WIDE_SIGNED_B ? (unsigned __int128)(int64_t)b : b;
    unsigned __int128 sum = x * y + (unsigned __int128)(int64_t)c;
    return (uint64_t)(form & WIDE_LOGICAL ? sum >> shift : (unsigned __int128)((__int128)sum >> shift));
}

static bool compare(Type t, CmpOp op, uint64_t a, uint64_t b) {
    if (type_is_float(t)) {
        double x = real(t, a), y = real(t, b);
        return op == C_EQ ? x == y : op == C_NE ? x != y : op == C_SLT ? x < y : op == C_SLE ? x <= y : op == C_SGT ? x > y : x >= y;
    }
    int64_t x = extend(t, a), y = extend(t, b);
    switch (op) {
    case C_EQ: return a == b;
    case C_NE: return a != b;
    case C_SLT: return x < y;
    case C_SLE: return x <= y;
    case C_SGT: return x > y;
    case C_SGE: return x >= y;
    case C_ULT: return a < b;
    case C_ULE: return a <= b;
    case C_UGT: return a > b;
    default: return a >= b;
    }
}

static uint64_t saturated(double x, unsigned bits, bool is_signed) {
    double top = ldexp(1, (int)bits - is_signed), low = is_signed ? -top : 0;
    uint64_t sign = UINT64_C(1) << (bits - 1);
    if (isnan(x)) return 0;
    if (x >= top) return is_signed ? sign - 1 : sign - 1 + sign;
    if (x <= low) return is_signed ? sign : 0;
    return is_signed ? (uint64_t)(int64_t)x : (uint64_t)x;
}

/* As cvt of the PTX ISA: no type has less than 32 bits; a NaN that is a double, or becomes 64 bits, gives the sign bit. */
static uint64_t gpu_integer(Type from, Type to, double x, bool is_signed) {
    unsigned bits = type_bits(to) < 32 ? 32 : type_bits(to);
    if (isnan(x) && (bits == 64 || from == T_F64)) return UINT64_C(1) << (bits - 1);
    return saturated(x, bits, is_signed);
}

static uint64_t cast(CastOp op, Type from, Type to, uint64_t v) {
    switch (op) {
    case CAST_SEXT: return (uint64_t)extend(from, v);
    case CAST_SITOFP: return to == T_F32 ? of_f32((float)extend(from, v)) : of_real(to, (double)extend(from, v));
    case CAST_UITOFP: return to == T_F32 ? of_f32((float)v) : of_real(to, (double)v);
    case CAST_FPTOSI: return (uint64_t)(int64_t)real(from, v);
    case CAST_FPTRUNC: case CAST_FPEXT: return of_real(to, real(from, v));
    case CAST_GPU_SI: case CAST_GPU_UI: return gpu_integer(from, to, real(from, v), op == CAST_GPU_SI);
    case CAST_SAT_SI: case CAST_SAT_UI: return saturated(real(from, v), type_bits(to), op == CAST_SAT_SI);
    default: return v;
    }
}

/* `c` is what compare-and-swap expects. */
static uint64_t update(Type t, int op, uint64_t old, uint64_t v, uint64_t c) {
    static const BinOp as[] = {B_ADD, B_AND, B_OR, B_XOR, B_SMAX, B_SMIN, B_UMAX, B_UMIN};
    switch (op) {
    case AT_XCHG: return v;
    case AT_INC: return old >= v ? 0 : old + 1;
    case AT_DEC: return old == 0 || old > v ? v : old - 1;
    case AT_CAS: return old == c ? v : old;
    case AT_FADD: return float_binary(t, B_FADD, old, v);
    default: return cut(t, int_binary(t, as[op], old, v));
    }
}

/* ---- memory ---- */

static int meet(int *who, int me) {
    int old = *who;
    *who = old == NOBODY || old == me ? me : MANY;
    return old != NOBODY && old != me;
}

typedef enum Access { READ, WRITE, UPDATE, EXCHANGE } Access; /* EXCHANGE: an atomic whose result is used */

/* What was not written is found in memory; for memory of the launch the compiler does not know how far that goes. */
static void note_read(Machine *m, int array, uint64_t i) {
    const Array *x = &m->p->arrays[array];
    if (x->space != SPACE_SHARED || m->touch[array][i].filled == m->block + 1) return;
    if (m->unwritten != UNWRITTEN_DYNAMIC) m->unwritten = x->dynamic ? UNWRITTEN_DYNAMIC : UNWRITTEN_STATIC;
}

/* No barrier is between threads of two blocks. */
static void check_race(Machine *m, int array, uint64_t i, int me, Access a) {
    if (!m->touch[array]) return;
    bool whole = m->p->arrays[array].whole;
    int epoch = whole ? 1 : m->epoch;
    Touch *t = &m->touch[array][i];
    if (whole) me += (int)m->block * MAX_THREADS;
    if (t->epoch != epoch) *t = (Touch){epoch, NOBODY, NOBODY, NOBODY, t->filled};
    int none = NOBODY;
    bool reads = t->reader != NOBODY && t->reader != me, writes = t->writer != NOBODY && t->writer != me;
    bool updates = t->updater != NOBODY && t->updater != me;
    if (a != WRITE) note_read(m, array, i);
    if (a == WRITE) t->filled = m->block + 1;
    if (a == EXCHANGE) a = WRITE;
    bool race = a == READ ? writes || updates : a == WRITE ? reads || writes || updates : reads || writes;
    meet(a == READ ? &t->reader : a == WRITE ? &t->writer : a == UPDATE ? &t->updater : &none, me);
    if (race) m->invalid = "race";
}

static unsigned char *element(Machine *m, Thread *t, int array, uint64_t i, int me, Access a) {
    const Array *x = &m->p->arrays[array];
    uint64_t n = (uint64_t)x->n * (x->space == SPACE_GLOBAL ? launch_blocks(m->l) : 1);
    if (i >= n) {
        m->invalid = "out of bounds";
        i = 0;
    }
    if (x->space == SPACE_LOCAL) return t->local + ((size_t)array * LOCAL_ELEMS + i) * 8;
    check_race(m, array, i, me, a);
    return m->memory[array] + array_at(x, i);
}

static uint64_t read_as(Machine *m, Thread *t, int array, uint64_t i, int me, Access a) {
    uint64_t v = 0;
    memcpy(&v, element(m, t, array, i, me, a), type_bytes(m->p->arrays[array].type));
    return v;
}

static uint64_t read_element(Machine *m, Thread *t, int array, uint64_t i, int me) { return read_as(m, t, array, i, me, READ); }

static void copy_structure(Machine *m, Thread *t, const Op *o, int me) {
    for (int k = 0; k < o->count; k++) {
        uint64_t v = read_element(m, t, o->op + k, m->temps[o->b], me);
        memcpy(element(m, t, o->array + k, m->temps[o->a], me, WRITE), &v, type_bytes(m->p->arrays[o->array + k].type));
    }
}

static uint64_t special(const Machine *m, const Thread *t, Special s) {
    const Launch *l = m->l;
    unsigned at[3] = {m->block % l->grid[0], m->block / l->grid[0] % l->grid[1], m->block / l->grid[0] / l->grid[1]};
    switch (s) {
    case S_TID_X: case S_TID_Y: case S_TID_Z: return t->tid[s - S_TID_X];
    case S_NTID_X: case S_NTID_Y: case S_NTID_Z: return l->block[s - S_NTID_X];
    case S_CTAID_X: case S_CTAID_Y: case S_CTAID_Z: return at[s - S_CTAID_X];
    case S_NCTAID_X: case S_NCTAID_Y: case S_NCTAID_Z: return l->grid[s - S_NCTAID_X];
    case S_PARAM0: return l->param0;
    case S_PARAM1: return l->param1;
    case S_PARAM2: return l->param2;
    case S_PARAM3: return of_f32(l->param3);
    default: return (uint64_t)(t - m->threads) & 31;
    }
}

/* ---- running ---- */

static void run_atomic(Machine *m, Thread *t, const Op *o, int me) {
    unsigned char *p = element(m, t, o->array, m->temps[o->a], me, o->flag ? EXCHANGE : UPDATE);
    uint64_t old = 0, v;
    memcpy(&old, p, type_bytes(o->type));
    v = update(o->type, o->op, old, m->temps[o->b], o->c >= 0 ? m->temps[o->c] : 0);
    memcpy(p, &v, type_bytes(o->type));
    m->temps[o->dst] = old;
}

static void store_vector(Machine *m, Thread *t, const Op *o, int me) {
    for (int i = 0; i < o->count; i++) {
        uint64_t c = m->temps[o->c], v = m->temps[o->parts[i]];
        if (o->op >= 0) v = cut(o->type, type_is_float(o->type) ? float_binary(o->type, (BinOp)o->op, v, c) : int_binary(o->type, (BinOp)o->op, v, c));
        memcpy(element(m, t, o->array, m->temps[o->a] + (uint64_t)i, me, WRITE), &v, type_bytes(o->type));
    }
}

static uint64_t load_vector(Machine *m, Thread *t, const Op *o, int me) {
    uint64_t component = o->b >= 0 ? m->temps[o->b] : (uint64_t)o->op, r = 0;
    for (int i = 0; i < o->count; i++) {
        uint64_t v = read_element(m, t, o->array, m->temps[o->a] + (uint64_t)i, me);
        if ((uint64_t)i == component) r = v;
    }
    return r;
}

static uint64_t call_function(Machine *m, Thread *t, const Op *o, int me);

static void run_plain(Machine *m, Thread *t, const Op *o, int me) {
    uint64_t *v = m->temps, r = 0, a = o->a >= 0 ? v[o->a] : 0;
    switch (o->code) {
    case O_CONST: r = o->bits; break;
    case O_GET: r = t->vars[o->b]; break;
    case O_SET: t->vars[o->b] = a; return;
    case O_SPECIAL: r = special(m, t, (Special)o->op); break;
    case O_BIN: r = type_is_float(o->type) ? float_binary(o->type, (BinOp)o->op, a, v[o->b]) : int_binary(o->type, (BinOp)o->op, a, v[o->b]); break;
    case O_UN: r = unary(o->type, (UnOp)o->op, a); break;
    case O_CMP: r = compare(o->from, (CmpOp)o->op, a, v[o->b]); break;
    case O_CAST: r = cast((CastOp)o->op, o->from, o->type, a); break;
    case O_SELECT: r = a ? v[o->b] : v[o->c]; break;
    case O_ARG: r = m->args[o->op]; break;
    case O_CALL: r = call_function(m, t, o, me); break;
    case O_FMA: r = fused(o->type, a, v[o->b], v[o->c]); break;
    case O_FUNNEL: r = funnel(o->type, o->op, a, v[o->b], v[o->c]); break;
    case O_WIDE: r = wide_product(o->op, (unsigned)o->bits, a, v[o->b], o->c >= 0 ? v[o->c] : 0); break;
    case O_LOAD_VECTOR: r = load_vector(m, t, o, me); break;
    case O_STORE_VECTOR: store_vector(m, t, o, me); return;
    case O_LOAD: r = read_as(m, t, o->array, a, me, o->flag ? UPDATE : READ); break;
    case O_ADDRESS: break;
    case O_COPY: copy_structure(m, t, o, me); return;
    case O_LOAD_EITHER: r = read_element(m, t, v[o->b] ? o->array : o->op, a, me); break;
    case O_STORE: memcpy(element(m, t, o->array, a, me, WRITE), &v[o->b], type_bytes(o->type)); return;
    case O_ATOMIC: run_atomic(m, t, o, me); return;
    default: abort();
    }
    v[o->dst] = cut(o->type, r);
}

/* One operation of control flow: where to go on; -1 = it is none. */
static int next_pc(const Machine *m, const Op *o, int pc) {
    uint64_t v = o->a >= 0 ? m->temps[o->a] : 0;
    switch (o->code) {
    case O_LABEL: return pc;
    case O_BR: return m->label_at[o->label[0]];
    case O_CBR: return m->label_at[o->label[v ? 0 : 1]];
    case O_SWITCH: return m->label_at[o->label[v < 3 ? v : 3]];
    default: return -1;
    }
}

/* Functions never stop for other threads: they run on the stack of the interpreter. */
static uint64_t call_function(Machine *m, Thread *t, const Op *o, int me) {
    int k = o->array >= 0 && !m->temps[o->c] ? o->array : o->op;
    const Machine saved = *m;
    uint64_t *vars = t->vars, r = 0;
    if (++m->depth > 64) m->invalid = "calls too deep";
    m->args[0] = saved.temps[o->a];
    m->args[1] = saved.temps[o->b];
    m->c = &saved.functions[k];
    uint64_t temps[m->c->ntemps + 1], mine[m->c->nvars + 1];
    memset(mine, 0, sizeof mine);
    m->temps = temps;
    m->label_at = m->function_labels[k];
    t->vars = mine;
    for (int pc = 0, to; !m->invalid; pc = to) {
        const Op *x = &m->c->ops.v[pc];
        if (++m->steps > STEP_LIMIT) m->invalid = "too many steps";
        if (x->code == O_RETURN) {
            r = temps[x->a];
            break;
        }
        to = next_pc(m, x, pc + 1);
        if (to >= 0) continue;
        run_plain(m, t, x, me);
        to = pc + 1;
    }
    t->vars = vars;
    m->c = saved.c;
    m->temps = saved.temps;
    m->label_at = saved.label_at;
    m->depth--;
    return r;
}

static bool stops_thread(OpCode c) { return c == O_BARRIER || c >= O_SHUFFLE; }

/* Runs a thread to the next barrier or warp-level function, or to its end. */
static void run_thread(Machine *m, Thread *t, int me) {
    if (t->arrived) {
        const Op *o = &m->c->ops.v[t->pc++];
        if (o->dst >= 0) m->temps[o->dst] = cut(o->type, t->result);
        t->arrived = false;
    }
    while (!m->invalid) {
        const Op *o = &m->c->ops.v[t->pc++];
        if (++m->steps > STEP_LIMIT) m->invalid = "too many steps";
        int to = next_pc(m, o, t->pc);
        if (to >= 0) {
            t->pc = to;
        } else if (o->code == O_RETURN) {
            t->pc = -1;
            return;
        } else if (stops_thread(o->code)) {
            t->pc--;
            t->arrived = true;
            t->vote = o->a >= 0 ? m->temps[o->a] : 0;
            t->by = o->b >= 0 ? m->temps[o->b] : 0;
            t->mask = o->code != O_BARRIER && o->c >= 0 ? m->temps[o->c] : UINT32_MAX;
            return;
        } else {
            run_plain(m, t, o, me);
        }
    }
}

static uint64_t reduce(int op, uint64_t a, uint64_t b) {
    static const BinOp as[] = {B_ADD, B_UMIN, B_UMAX, B_SMIN, B_SMAX, B_AND, B_OR, B_XOR};
    return cut(T_I32, int_binary(T_I32, as[op], a, b));
}

static int shuffle_source(const Op *o, int lane, int by) {
    switch (o->op) {
    case 0: return by;
    case 1: return lane - by >= 0 ? lane - by : lane;
    case 2: return lane + by < 32 ? lane + by : lane;
    default: return lane ^ by;
    }
}

/* What a warp-level function gives to one thread: all threads of its mask are here. */
static uint64_t warp_result(const Machine *m, const Op *o, int me) {
    const Thread *w = &m->threads[me & ~31];
    uint64_t mask = m->threads[me].mask, set = 0, same = 0, all = 0;
    bool first = true;
    if (o->code == O_SHUFFLE) return w[shuffle_source(o, me & 31, (int)(m->threads[me].by & 31))].vote;
    for (int i = 0; i < 32; i++) {
        if (!(mask >> i & 1)) continue;
        set |= (w[i].vote & 1) << i;
        same |= (uint64_t)(w[i].vote == m->threads[me].vote) << i;
        all = first ? w[i].vote : o->code == O_REDUX ? reduce(o->op, all, w[i].vote) : 0;
        first = false;
    }
    if (o->code == O_MATCH) return same;
    if (o->code == O_REDUX) return all;
    if (o->code == O_BALLOT) return set;
    return o->op == 0 ? set != 0 : o->op == 1 ? set == mask : set == 0 || set == mask;
}

static uint64_t barrier_result(const Machine *m, const Op *o) {
    uint64_t count = 0, live = 0;
    for (int i = 0; i < m->nthreads; i++) {
        if (m->threads[i].pc < 0) continue;
        live++;
        count += m->threads[i].vote;
    }
    return o->op == 1 ? count : o->op == 2 ? count == live : count > 0;
}

/* All live threads wait at one barrier; false = they wait for something else. */
static bool release_barrier(Machine *m) {
    int at = -1;
    for (int i = 0; i < m->nthreads; i++) {
        if (m->threads[i].pc < 0) continue;
        if (at >= 0 && m->threads[i].pc != at) return false;
        at = m->threads[i].pc;
    }
    const Op *o = &m->c->ops.v[at];
    if (o->code != O_BARRIER) return false;
    uint64_t all = o->op ? barrier_result(m, o) : 0;
    for (int i = 0; i < m->nthreads; i++) {
        m->threads[i].result = all;
        m->threads[i].go = true;
    }
    m->epoch++;
    return true;
}

/* The threads that `me` names in its mask all wait at the same operation, with the same mask. */
static bool warp_is_here(const Machine *m, int me) {
    const Thread *t = &m->threads[me], *w = &m->threads[me & ~31];
    if (!(t->mask >> (me & 31) & 1)) return false;
    for (int i = 0; i < 32; i++)
        if ((t->mask >> i & 1) && w[i].pc >= 0 && (w[i].pc != t->pc || w[i].mask != t->mask)) return false;
    return true;
}

static bool release_warps(Machine *m) {
    bool any = false;
    for (int i = 0; i < m->nthreads; i++) {
        Thread *t = &m->threads[i];
        if (t->pc < 0) continue;
        const Op *o = &m->c->ops.v[t->pc];
        if (o->code == O_BARRIER || !warp_is_here(m, i)) continue;
        t->result = o->dst >= 0 ? warp_result(m, o, i) : 0;
        any = t->go = true;
    }
    return any;
}

static void release(Machine *m) {
    for (int i = 0; i < m->nthreads; i++) m->threads[i].go = false;
    if (!release_barrier(m) && !release_warps(m)) m->invalid = "threads at different barriers";
}

static void run_block(Machine *m) {
    const Launch *l = m->l;
    for (int i = 0; i < m->p->narrays; i++) {
        const Array *x = &m->p->arrays[i];
        if (x->space == SPACE_SHARED && x->owner < 0) memset(m->memory[i], SHARED_PATTERN, array_bytes(x, 1));
    }
    for (int i = 0; i < m->nthreads; i++) {
        unsigned u = (unsigned)i;
        Thread *t = &m->threads[i];
        t->pc = 0;
        t->arrived = false;
        t->go = true;
        t->tid[0] = u % l->block[0];
        t->tid[1] = u / l->block[0] % l->block[1];
        t->tid[2] = u / l->block[0] / l->block[1];
    }
    m->epoch++;
    for (bool live = true; live && !m->invalid;) {
        live = false;
        for (int i = 0; i < m->nthreads && !m->invalid; i++) {
            if (m->threads[i].pc < 0) continue;
            if (m->threads[i].go) run_thread(m, &m->threads[i], i);
            live |= m->threads[i].pc >= 0;
        }
        if (live && !m->invalid) release(m);
    }
}

static int *find_labels(Arena *a, const Code *c) {
    int *at = arena_array(a, int, c->nlabels + 1);
    for (int i = 0; i < c->ops.n; i++)
        if (c->ops.v[i].code == O_LABEL) at[c->ops.v[i].label[0]] = i;
    return at;
}

static unsigned char *make_table(Arena *a, const Array *x) {
    unsigned char *t = arena_alloc(a, array_bytes(x, 1));
    for (int i = 0; i < x->n; i++) {
        uint64_t bits = table_bits(x->type, i);
        memcpy(t + array_at(x, (uint64_t)i), &bits, type_bytes(x->type));
    }
    return t;
}

static void prepare(Machine *m, Arena *a, void *const *memory) {
    m->temps = arena_array(a, uint64_t, m->c->ntemps + 1);
    m->label_at = find_labels(a, m->c);
    m->functions = m->c->functions;
    for (int i = 0; i < m->p->nfunctions; i++) m->function_labels[i] = find_labels(a, &m->functions[i]);
    m->threads = arena_array(a, Thread, m->nthreads);
    for (int i = 0; i < m->nthreads; i++) {
        m->threads[i].vars = arena_array(a, uint64_t, m->c->nvars + 1);
        m->threads[i].local = arena_alloc(a, (size_t)m->p->narrays * LOCAL_ELEMS * 8);
    }
    for (int i = 0; i < m->p->narrays; i++) {
        const Array *x = &m->p->arrays[i];
        m->memory[i] = m->memory[array_memory(m->p, i)];
        if (x->owner < 0 && x->alias < 0) m->memory[i] = memory[i];
        if (x->space == SPACE_SHARED && x->owner < 0) m->memory[i] = arena_alloc(a, array_bytes(x, 1));
        if (x->space == SPACE_TABLE) m->memory[i] = make_table(a, x);
        if (x->alias >= 0) m->touch[i] = m->touch[x->alias];
        else if (x->space == SPACE_SHARED || x->space == SPACE_GLOBAL)
            m->touch[i] = arena_array(a, Touch, (size_t)x->n * (x->space == SPACE_GLOBAL ? launch_blocks(m->l) : 1));
    }
}

const char *interpret(const Program *p, const Code *c, const Launch *l, void *const *memory, Unwritten *unwritten) {
    Arena a = {0};
    Machine m = {.p = p, .c = c, .l = l, .nthreads = (int)launch_threads(l)};
    prepare(&m, &a, memory);
    for (m.block = 0; m.block < launch_blocks(l) && !m.invalid; m.block++) run_block(&m);
    arena_free(&a);
    *unwritten = m.unwritten;
    return m.invalid;
}
