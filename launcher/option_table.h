/* option_table.h: the rows of options.def, between option_table.c, which has what they do, and options.c, which
** parses. */
#ifndef CUCPU_LAUNCHER_OPTION_TABLE_H
#define CUCPU_LAUNCHER_OPTION_TABLE_H
#include "launcher/options.h"

typedef enum Argument { NONE, VALUE, GLUED, NUMBER, TAIL, MAYBE } Argument;
typedef enum Effect { E_ON, E_STRING, E_LIST, E_WORDS, E_PASS, E_CALL, E_ACCEPT, E_REFUSE } Effect;

typedef struct Parser Parser;
typedef bool Setter(Parser *p, const char *name, const char *value);

typedef struct Row {
    const char *section; /* a heading when not NULL */
    const char *name, *alias;
    Argument argument;
    const char *metavar;
    Effect effect;
    size_t field;
    Setter *set;
    const char *help;
} Row;

struct Parser {
    Options *o;
    StrVec words; /* command line with response files in place */
    size_t next;
    int arch, gencode;           /* the highest of the last -arch, of all -gencode, as one_arch orders them */
    int languages, option_files; /* how many -x and -optf there were */
    const char *awaits_value;    /* the last word of -Xcompiler, an option about make rules or headers */
};

/* ---- option_table.c ---- */
extern const Row option_rows[];
extern const size_t option_count;
ItemKind option_language(const char *language); /* of -x */
void option_add_item(Options *o, ItemKind kind, const char *text, bool is_file);

/* ---- options.c ---- */
/* The words of a file of options; false after an error. */
bool option_add_words(StrVec *words, const char *file, int depth);
bool option_take(Parser *p, const char *word);
#endif
