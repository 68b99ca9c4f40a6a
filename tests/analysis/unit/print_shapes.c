/* print_shapes.c: reads textual IR and prints the shapes of every function in it.
** print_shapes [-w width] [-l full|rows|general] [-b x,y,z] [-x] file.ll
** -x: first prepares the code for widening (shapes_for_widening), and prints it afterwards. */
#include "passes/analysis/shapes/shapes.h"
#include <llvm-c/IRReader.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int width = 8;
    Layout layout = LAYOUT_ROWS_FULL;
    unsigned block[3] = {0};
    const char *file = NULL;
    bool extend = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-x"))
            extend = true;
        else if (!strcmp(argv[i], "-w") && i + 1 < argc)
            width = atoi(argv[++i]);
        else if (!strcmp(argv[i], "-b") && i + 1 < argc)
            sscanf(argv[++i], "%u,%u,%u", &block[0], &block[1], &block[2]);
        else if (!strcmp(argv[i], "-l") && i + 1 < argc) {
            i++;
            layout = !strcmp(argv[i], "general") ? LAYOUT_GENERAL
                     : !strcmp(argv[i], "rows")  ? LAYOUT_ROWS
                                                 : LAYOUT_ROWS_FULL;
        } else
            file = argv[i];
    }
    LLVMContextRef context = LLVMContextCreate();
    LLVMMemoryBufferRef buffer;
    LLVMModuleRef module;
    char *message = NULL;
    if (!file || LLVMCreateMemoryBufferWithContentsOfFile(file, &buffer, &message) ||
        LLVMParseIRInContext(context, buffer, &module, &message)) {
        fprintf(stderr, "print_shapes: error: %s\n", message ? message : "no input file");
        return 1;
    }
    for (LLVMValueRef fn = LLVMGetFirstFunction(module); fn; fn = LLVMGetNextFunction(fn)) {
        if (LLVMIsDeclaration(fn)) continue;
        Arena a = {0};
        Cfg *cfg = cfg_build(&a, fn);
        shapes_print(extend ? shapes_for_widening(&a, cfg, width, layout, block)
                            : shapes_compute(&a, cfg, width, layout, block),
                     stdout);
        char *text = LLVMPrintValueToString(fn);
        if (extend) puts(text);
        LLVMDisposeMessage(text);
        arena_free(&a);
    }
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return 0;
}
