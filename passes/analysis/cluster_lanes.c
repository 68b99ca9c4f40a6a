/* cluster_lanes.c: see cluster_lanes.h.
**
** Lanes diverge at a branch and reconverge where it is post-dominated. If a barrier of the cluster is reached in
** between, the lanes of the other successor must reach none any more, now or in a later iteration of a loop: for the
** cluster they have ended. */
#include "passes/analysis/cluster_lanes.h"
#include "passes/ir/names.h"
#include "passes/ir/value.h"

static bool has_cluster_barrier(const Cfg *c, int b) {
    for_each_in_block(i, c->b[b].bb)
        if (name_is_cluster(name_of_call(i))) return true;
    return false;
}

/* A barrier is reached from block `from`, itself included, without passing through `end`. */
static bool reaches(const Cfg *c, const bool *cut, bool *seen, int from, int end) {
    if (from == end || seen[from]) return false;
    seen[from] = true;
    if (cut[from]) return true;
    for (int k = 0; k < c->b[from].nsucc; k++)
        if (reaches(c, cut, seen, c->b[from].succ[k], end)) return true;
    return false;
}

bool lanes_reach_clusters_together(Arena *a, const Cfg *c, const Shapes *s) {
    bool *cut = arena_array(a, bool, c->n), any = false;
    for (int b = 0; b < c->n; b++) any |= cut[b] = has_cluster_barrier(c, b);
    for (int b = 0; b < c->n && any; b++) {
        if (c->b[b].nsucc < 2 || !shapes_branch_divergent(s, b)) continue;
        bool between = false, none = false;
        for (int k = 0; k < c->b[b].nsucc; k++) {
            int to = c->b[b].succ[k];
            between |= reaches(c, cut, arena_array(a, bool, c->n), to, c->b[b].ipdom);
            none |= !reaches(c, cut, arena_array(a, bool, c->n), to, -1);
        }
        if (between && !none) return false;
    }
    return true;
}
