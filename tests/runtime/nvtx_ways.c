// NVTX without our header: the functions of libnvToolsExt.so, and the table of callbacks that NVIDIA's header-only NVTX fills; here a
// library of the same protocol stands for it.  Without a profiler all is quiet.
// REQUIRES: run
// RUN: %clang %s -o %t -ldl
// RUN: env LD_LIBRARY_PATH=%resources CUCPU_TRACE=%t.json %run %t | FileCheck %s --check-prefix=ON
// RUN: %python -c "import json; print(sorted((e['ph'], e['name'], e['args']['domain']) for e in json.load(open('%t.json'))['traceEvents'] if e.get('cat') == 'NVTX'))" | FileCheck %s
// RUN: env LD_LIBRARY_PATH=%resources %run %t | FileCheck %s --check-prefix=OFF
// ON: push 0, injected 1
// OFF: push 0, injected 0
// CHECK: [('X', 'by callback', ''), ('X', 'by library', ''), ('X', 'in domain', 'd')]
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef void Function(void);
enum { CORE = 1, CORE2 = 5, PUSH_A = 9, POP = 11, SIZE = 16, DOMAIN_PUSH = 4, DOMAIN_POP = 5, DOMAIN_CREATE = 12 };
static Function *core[SIZE], *core2[SIZE], **core_table[SIZE], **core2_table[SIZE];

static int table_of(int module, Function ****out, unsigned *size) {
    *out = module == CORE ? core_table : module == CORE2 ? core2_table : NULL;
    *size = SIZE;
    return *out != NULL;
}
static const struct {
    size_t bytes;
    int (*table_of)(int, Function ****, unsigned *);
} callbacks = {sizeof callbacks, table_of};
static const void *export_table(uint32_t id) { return id == 1 ? &callbacks : NULL; }

struct attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    const char *message;
};

int main(void) {
    for (int i = 1; i < SIZE; i++) core_table[i] = &core[i], core2_table[i] = &core2[i];
    void *library = dlopen("libnvToolsExt.so.1", RTLD_NOW);
    int (*push)(const char *) = (int (*)(const char *))dlsym(library, "nvtxRangePushA");
    int (*pop)(void) = (int (*)(void))dlsym(library, "nvtxRangePop");
    int level = push("by library");
    pop();
    const char *injected = getenv("NVTX_INJECTION64_PATH");
    printf("push %d, injected %d\n", level, injected != NULL);
    void *tool = injected ? dlopen(injected, RTLD_NOW) : NULL;
    if (!tool) return 0;
    int (*inject)(const void *(*)(uint32_t)) =
        (int (*)(const void *(*)(uint32_t)))dlsym(tool, "InitializeInjectionNvtx2");
    if (!inject(export_table) || !core[PUSH_A] || !core2[DOMAIN_PUSH]) return 1;
    ((int (*)(const char *))core[PUSH_A])("by callback");
    void *domain = ((void *(*)(const char *))core2[DOMAIN_CREATE])("d");
    struct attributes a = {.version = 3, .size = sizeof a, .message_type = 1, .message = "in domain"};
    ((int (*)(void *, struct attributes *))core2[DOMAIN_PUSH])(domain, &a);
    ((int (*)(void *))core2[DOMAIN_POP])(domain);
    ((int (*)(void))core[POP])();
    return 0;
}
