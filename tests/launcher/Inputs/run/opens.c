#include <dlfcn.h>

int main(void) {
    void *library = dlopen("./libstatic.so", RTLD_NOW);
    int (*go)(void) = library ? (int (*)(void))dlsym(library, "go") : 0;
    return go ? go() : 1;
}
