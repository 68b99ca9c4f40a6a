/* trees.h: the trees of trees.cu and their traversals by hand (trees.cpp), after Moll (2021), chapter 13.1.
**
** A traversal is speculative: a group of W queries walks the union of its paths with one stack, and goes on to a node
** as long as one of its queries needs it. */
#pragma once

enum { STACK = 64, CHILDREN = 8, GROUP = 32 /* queries with one coordinate in mpc */ };
struct Box { /* of a k-d tree: a point, the box of its subtree; children are indices, -1: none */
    float x, y, low_x, low_y, high_x, high_y;
    int left, right;
};
struct Vantage { /* of a vantage-point tree: left is within the radius */
    float x, y, radius;
    int left, right;
};
struct Cell { /* of an octree: a mass and its centre; a body has size 0 */
    float x, y, z, mass, size;
    int child[CHILDREN];
};
struct Key { /* of a binary tree */
    int key, left, right;
};
struct Trees {
    const Box *boxes, *centres;
    const Vantage *vantages;
    const Cell *cells;
    const Key *keys;
    const float *x, *y, *z; /* of the queries */
    const float *radii;
    const int *labels;
    int n; /* queries; a multiple of all group sizes */
};
static const float OPENING = 0.25f, /* squared: size / distance of a cell that is taken for a body */
    SOFT = 1e-4f, RADIUS = 0.03f;

/* Results of kernel `name` for all queries by hand, in groups of w (1: scalar code); false: it is not compiled. */
bool by_hand(const char *name, int w, const Trees &t, float *out);
