#include <cstdio>
int run(int);
int main() { printf("run %d\n", run(21)); }
