/* options.c: turns the command line into Options, by the rows of options.def.
**
** An option is looked up by its exact spelling first, then by what precedes "=", then by the
** longest GLUED or TAIL name that it starts with; one dash and two dashes are the same for
** names of two letters and more, as with nvcc.  Everything else is an input.
** Errors are printed and the parse stops at the first one: later ones tend to be its echo. */
#define _GNU_SOURCE
#include "launcher/option_table.h"
#include "launcher/nvcc/host_wrapper.h"
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
static bool add_text(StrVec *words, const char *text, int depth);

void launcher_error(const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    fputs("cucpu: error: ", stderr);
    vfprintf(stderr, format, ap);
    fputc('\n', stderr);
    va_end(ap);
}

/* ---- look-up ---- */

/* Whether the first n characters of word spell name. */
static bool same_name(const char *name, const char *word, size_t n) {
    if (!*name || *word != '-') return false;
    bool long_name = text_starts(name, "--");
    while (*name == '-') name++;
    long_name |= name[0] && name[1];
    size_t dashes = 1;
    if (long_name && n > 1 && word[1] == '-') dashes = 2;
    return n - dashes == strlen(name) && strncmp(name, word + dashes, n - dashes) == 0;
}

static const Row *find_exact(const char *word, size_t n) {
    for (size_t i = 0; i < option_count; i++)
        if (same_name(option_rows[i].name, word, n) || same_name(option_rows[i].alias, word, n)) return &option_rows[i];
    return NULL;
}

/* Sets *value to what follows the name in the word, or to NULL. */
static const Row *find_row(const char *word, const char **value) {
    *value = NULL;
    const Row *row = find_exact(word, strlen(word));
    if (row) return row;
    const char *equals = strchr(word, '=');
    if (equals && (row = find_exact(word, (size_t)(equals - word))) && row->argument != NONE && row->argument != TAIL) {
        *value = equals + 1;
        return row;
    }
    for (size_t n = strlen(word) - 1; n >= 2; n--) {
        row = find_exact(word, n);
        if (row && (row->argument == GLUED || row->argument == TAIL ||
                    (row->argument == NUMBER && isdigit((unsigned char)word[n])))) {
            *value = word + n;
            return row;
        }
    }
    return NULL;
}

static void unknown_option(const char *word) {
    const char *best = NULL, *bare = text_copy(word, strcspn(word, "="));
    size_t distance = strlen(bare) / 3 + 2;
    for (size_t i = 0; i < option_count; i++) {
        const char *names[] = {option_rows[i].name, option_rows[i].alias};
        for (size_t k = 0; k < 2; k++) {
            size_t d = strlen(names[k]) < 3 ? distance : text_distance(bare, names[k]);
            if (d < distance) distance = d, best = names[k];
        }
    }
    if (best) launcher_error("unknown option '%s'; did you mean '%s'?", word, best);
    else launcher_error("unknown option '%s'", word);
}

/* ---- parsing ---- */

static bool apply(Parser *p, const Row *row, const char *word, const char *value) {
    void *field = (char *)p->o + row->field;
    switch (row->effect) {
    case E_ON: *(bool *)field = true; return true;
    case E_STRING:
        if (*(const char **)field && strcmp(*(const char **)field, value))
            fprintf(stderr, "cucpu: warning: '%s' is given twice: the last one counts\n", row->name);
        *(const char **)field = value;
        return true;
    case E_LIST: vec_add(field, value); return true;
    case E_WORDS: vec_split(field, value, ", "); return true;
    case E_PASS:
        if (row->argument == NONE) vec_add(field, word);
        else if (text_starts(row->name, "-march")) vec_add(field, text_format("%s=%s", row->name, value));
        else vec_add(field, row->name), vec_add(field, value);
        return true;
    case E_CALL: return row->set(p, text_copy(word, strcspn(word, "=")), value);
    case E_ACCEPT: return true;
    case E_REFUSE: break;
    }
    launcher_error("option '%s': %s", word, row->help);
    return false;
}

bool option_take(Parser *p, const char *word) {
    const char *value;
    const Row *row = find_row(word, &value);
    if (!row && (p->o->forward_unknown || p->o->forward_linker)) {
        vec_add(p->o->forward_unknown ? &p->o->host : &p->o->linker, word);
        return true;
    }
    if (!row) {
        unknown_option(word);
        return false;
    }
    if (row->argument == MAYBE && !value) {
        if (p->next < p->words.n && row->set(p, word, p->words.v[p->next])) {
            p->next++;
            return true;
        }
        return row->set(p, word, NULL);
    }
    if (row->argument == TAIL && !value) value = "";
    bool wanted = row->argument == VALUE || row->argument == GLUED || row->argument == NUMBER;
    if (wanted && !value) {
        if (p->next == p->words.n) {
            launcher_error("missing argument for '%s'", word);
            return false;
        }
        value = p->words.v[p->next++];
    }
    if (row->argument == GLUED && *value == '=') value++;
    if (row->argument != NONE && row->argument != TAIL && row->effect != E_ACCEPT && !*value) {
        launcher_error("empty argument for '%s'", word);
        return false;
    }
    if (row->argument == MAYBE) { /* -Werror=unused: clang's own */
        bool set = row->set(p, word, value), warning = strstr(row->name, "-W") == row->name;
        if (!set && warning) vec_add(&p->o->both, word + text_starts(word, "--"));
        return set || warning;
    }
    return apply(p, row, word, value);
}

static bool input_kind(const Options *o, const char *path, ItemKind *kind) {
    static const struct {
        const char *extension;
        ItemKind kind;
    } known[] = {{".cu", ITEM_CUDA}, {".c", ITEM_C},     {".cc", ITEM_CXX},  {".cpp", ITEM_CXX},
                 {".cxx", ITEM_CXX}, {".C", ITEM_CXX},   {".c++", ITEM_CXX}, {".ptx", ITEM_PTX},
                 {".i", ITEM_C},     {".ii", ITEM_CXX},  {".o", ITEM_LINK},  {".obj", ITEM_LINK},
                 {".a", ITEM_LINK},  {".so", ITEM_LINK}, {".lo", ITEM_LINK}, {".bc", ITEM_BITCODE}};
    if (o->language) {
        *kind = option_language(o->language);
        return true;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(path_extension(path), known[i].extension) == 0) {
            *kind = known[i].kind;
            return true;
        }
    *kind = ITEM_LINK;
    return strstr(path_base(path), ".so.") != NULL; /* libx.so.1.2 */
}

static bool take_input(Parser *p, const char *path) {
    ItemKind kind;
    if (!input_kind(p->o, path, &kind) && (file_exists(path) || !strcmp(path, "-"))) /* missing ones: check() */
        kind = ITEM_UNKNOWN;
    option_add_item(p->o, kind, path, true);
    return true;
}

static bool check_kinds(const Options *o) {
    for (size_t i = 0; i < o->nitems; i++) {
        const char *path = o->items[i].text;
        if (o->items[i].kind != ITEM_UNKNOWN) continue;
        if (strcmp(path, "-") == 0) launcher_error("standard input needs its language: -x cu");
        else
            launcher_error("don't know what to do with '%s': name it with -x or give it an "
                           "extension such as .cu, .cpp, .o",
                           path);
        return false;
    }
    return true;
}

/* Appends the words of a response file, which may name others. */
bool option_add_words(StrVec *words, const char *file, int depth) {
    size_t size;
    char *text = file_read(file, &size);
    if (!text || depth > 16) {
        if (text) launcher_error("response files nested too deeply: '%s'", file);
        else launcher_error("cannot read response file '%s': %s", file, strerror(errno));
        return false;
    }
    return add_text(words, text, depth);
}

static bool add_text(StrVec *words, const char *text, int depth) {
    StrVec inner = {0};
    vec_split(&inner, text, " \t\r\n");
    for (size_t i = 0; i < inner.n; i++) {
        if (inner.v[i][0] == '@' && inner.v[i][1]) {
            if (!option_add_words(words, inner.v[i] + 1, depth + 1)) return false;
        } else {
            vec_add(words, inner.v[i]);
        }
    }
    return true;
}

/* -ccbin mpicxx, NVCC_CCBIN=mpicxx */
static bool add_host_wrapper(Options *o) {
    WrapperFlags flags = {0};
    const char *wrapper = o->host_compiler ? o->host_compiler : getenv("NVCC_CCBIN");
    if (!wrapper || !is_host_wrapper(wrapper)) return true;
    if (!host_wrapper_flags(wrapper, &flags)) return false;
    vec_add_all(&o->defines, &flags.compile);
    vec_add_all(&o->linker, &flags.link);
    for (size_t i = 0; i < flags.libraries.n; i++)
        option_add_item(o, ITEM_LINK, flags.libraries.v[i], flags.libraries.v[i][0] != '-');
    return true;
}

bool options_parse(Options *o, int argc, char **argv) {
    memset(o, 0, sizeof *o);
    cucpu_options_init(&o->compiler);
    o->threads = 2;
    Parser p = {.o = o};
    const char *before = getenv("NVCC_PREPEND_FLAGS"), *behind = getenv("NVCC_APPEND_FLAGS");
    if (before && !add_text(&p.words, before, 0)) return false;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '@' || !argv[i][1]) vec_add(&p.words, argv[i]);
        else if (!option_add_words(&p.words, argv[i] + 1, 1)) return false;
    }
    if (behind && !add_text(&p.words, behind, 0)) return false;
    for (size_t i = 0; i < p.words.n; i++)
        o->words_hash = text_hash(o->words_hash, p.words.v[i], strlen(p.words.v[i]) + 1);
    while (p.next < p.words.n) {
        const char *word = p.words.v[p.next++];
        bool good = word[0] == '-' && word[1] ? option_take(&p, word) : take_input(&p, word);
        if (!good) return false;
    }
    return check_kinds(o) && add_host_wrapper(o);
}

/* ---- help ---- */

static const char *spelling(const Row *row, const char *name) {
    static const char *const form[] = {"%s", "%s %s", "%s%s", "%s %s", "%s%s", "%s[=%s]"};
    if (row->argument == NONE) return name;
    if (row->argument != TAIL && row->argument != MAYBE && text_starts(name, "--"))
        return text_format("%s=%s", name, row->metavar);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    return text_format(form[row->argument], name, row->metavar);
#pragma GCC diagnostic pop
}

void options_help(FILE *f) {
    fputs("Usage: cucpu [options] file...\n"
          "       cucpu run [--verbose] program [arguments]   runs a program that was built for NVIDIA's libraries\n"
          "       cucpu info                                  devices, libraries, cache\n"
          "Compiles CUDA C++ to programs for CPUs.  Takes the options of nvcc.\n",
          f);
    for (size_t i = 0; i < option_count; i++) {
        const Row *row = &option_rows[i];
        if (row->section) {
            fprintf(f, "\n%s:\n", row->section);
            continue;
        }
        fprintf(f, "  %s", spelling(row, row->name));
        if (*row->alias) fprintf(f, ", %s", spelling(row, row->alias));
        fprintf(f, "\n        %s\n", row->help);
    }
}

static const char *escape_bars(const char *s) {
    char *out = text_alloc(2 * strlen(s) + 1), *p = out;
    for (; *s; s++) {
        if (*s == '|') *p++ = '\\';
        *p++ = *s;
    }
    return out;
}

void options_markdown(FILE *f) {
    for (size_t i = 0; i < option_count; i++) {
        const Row *row = &option_rows[i];
        if (row->section) {
            fprintf(f, "%s### %s\n\n| option | effect |\n|---|---|\n", i ? "\n" : "", row->section);
            continue;
        }
        fprintf(f, "| `%s`", escape_bars(spelling(row, row->name)));
        if (*row->alias) fprintf(f, ", `%s`", escape_bars(spelling(row, row->alias)));
        fprintf(f, " | %s |\n", escape_bars(row->help));
    }
}
