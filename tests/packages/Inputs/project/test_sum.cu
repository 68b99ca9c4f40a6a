#include "sum.h"
#include <cstdio>
#include <vector>

int main() {
    std::vector<int> x(1000);
    for (int i = 0; i < 1000; i++) x[i] = i;
    int found = sum(x.data(), 1000);
    printf("sum %d\n", found);
    return found != 499500;
}
