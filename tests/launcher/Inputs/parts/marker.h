#define MARKER 20
