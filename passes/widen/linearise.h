/* linearise.h: shared by the parts of the pass linearise. linearise.c has the pass, phis and rewriting;
** linearise_layout.c which loops are divergent, and the new graph; linearise_masks.c the masks of its blocks and
** edges. */
#ifndef CUCPU_LINEARISE_H
#define CUCPU_LINEARISE_H
#include "passes/passes.h"

typedef Vec(int) IntVec;

typedef struct Line {
    Kernel *k;
    Arena *a;
    LLVMBuilderRef b;
    LLVMTypeRef i1;
    Cfg *c;
    Shapes *s;
    bool *some; /* block -> some lane is active wherever it runs */
    bool *all_active,
        /* block -> it runs only with all lanes active (version_all_active), it is dominated by such a block */
        *in_all_active;
    bool *div_loop;
    bool *lost;                    /* edge of a uniform branch -> a layout routed it through another block first */
    int *latch;                    /* of each loop */
    int *dpdom;                    /* post-dominator of a block within one iteration of its loop, -1 = none */
    IntVec *deferred;              /* per block, ascending */
    int *ndom;                     /* immediate dominators of the new graph */
    int *next0, *next1;            /* new successors; next1 = -1: one successor */
    bool *slot_mask;               /* the mask of this block is kept in a slot */
    LLVMValueRef *mslot;           /* its alloca */
    LLVMValueRef *mask;            /* mask of a block as a value; NULL = all lanes */
    LLVMValueRef *edge;            /* masks of the edges of two-way branches, once built */
    LLVMBasicBlockRef *edge_block; /* of edges by which all active lanes leave a divergent loop, once built */
    LLVMValueRef entry_mask;
    Vec(LLVMValueRef) slots;
    PtrMap partial; /* slot -> 1: holds poison on paths that no lane has taken */
} Line;

/* ---- linearise_layout.c ---- */
bool line_are_all_lanes_active(const Line *l); /* in the whole kernel */
/* Post-dominators of the graph without back edges: if A dominates B, both are in the same loop and B is on the dpdom
** chain of A, every lane that runs A runs B in the same iteration. */
void line_iteration_postdominators(Line *l);
bool line_same_lanes(const Line *l, int a, int b); /* a, which dominates b; by that chain */
/* The actual target of an edge: the latch of the innermost divergent loop that it leaves. */
int line_effective(const Line *l, int from_loop, int to);
/* All lanes that are left in a divergent loop are at its header: by a uniform branch there they leave it together. */
bool line_leaves_together(const Line *l, int b, int to);
bool line_is_latch(const Line *l, int b, int *loop); /* of a divergent loop */
void line_new_dominators(Line *l);
bool line_new_dominates(const Line *l, int a, int b);
bool line_kept_uniform_edge(const Line *l, int b, int e, int to);
/* Repeated while the layout shows more loops to be divergent. */
void line_lay_out_blocks(Line *l);

/* ---- linearise_masks.c ---- */
/* The block from which lanes leave a divergent loop for block p, and go on to its only successor; -1: p is not such an
** exit. */
int line_left_from(const Line *l, int p);
/* Memory that holds `initial` where the block's value is reset: at the start of the kernel or of its loop. */
LLVMValueRef line_new_slot(Line *l, int block, LLVMTypeRef t, LLVMValueRef initial);
void line_at_end(Line *l, int b); /* positions the builder */
/* Positions the builder where what happens on this edge of b is computed, and returns the mask of the edge: at the end
** of b, or, where lanes leave a loop together, in a block that only they run. */
LLVMValueRef line_at_edge(Line *l, int b, int e);
void line_build_masks(Line *l);
void line_mark_masks(Line *l); /* cucpu.mask */
/* cucpu.any(c) of guards, cucpu.all(c) of versions and the like query the lanes of their own block. */
void line_resolve_any(Line *l);
#endif
