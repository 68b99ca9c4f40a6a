/* cluster_lanes.h: do the lanes of a group reach the barriers of the cluster together?
**
** In barrier.cluster each thread counts separately, so threads of one warp may arrive at different points of the
** program. A group arrives as one: where its lanes do not, the kernel has one lane. */
#ifndef CUCPU_CLUSTER_LANES_H
#define CUCPU_CLUSTER_LANES_H
#include "passes/analysis/shapes/shapes.h"

/* True if all lanes that have not ended are at the same one. s: of the code of a thread, for the width of the
** groups. */
bool lanes_reach_clusters_together(Arena *a, const Cfg *c, const Shapes *s);
#endif
