/* verify.h: whether IR is in one of the forms of forms.def. */
#ifndef CUCPU_VERIFY_H
#define CUCPU_VERIFY_H
#include "passes/passes.h"

typedef enum FormNumber {
#define FORM(name, checked, what) FORM_NUMBER_##name,
#include "passes/ir/forms.def"
#undef FORM
    FORM_COUNT
} FormNumber;

/* Sets of forms. */
enum {
#define FORM(name, checked, what) FORM_##name = 1 << FORM_NUMBER_##name,
#include "passes/ir/forms.def"
#undef FORM
};

const char *form_name(FormNumber form);
const char *form_text(FormNumber form);

/* What violates the forms of the set in the kernel, or the module, with the name of the form; NULL: nothing that is
** checked. In the module's arena. */
const char *kernel_violates(Kernel *k, unsigned forms);
const char *module_violates(Module *m, unsigned forms);
#endif
