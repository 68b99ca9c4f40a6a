/* load_object.h: a kernel object (ELF, x86-64, relocatable) straight into memory. */
#ifndef FUZZ_LOAD_OBJECT_H
#define FUZZ_LOAD_OBJECT_H
#include "cpu-runtime/abi.h"

typedef struct LoadedObject {
    unsigned char *memory;
    size_t size;
    const CucpuModule *module; /* what its constructor registered */
} LoadedObject;

/* Loads and relocates, then runs the constructors.  NULL, or what is wrong. */
const char *load_object(const void *bytes, size_t size, LoadedObject *out);
void unload_object(LoadedObject *o);
#endif
