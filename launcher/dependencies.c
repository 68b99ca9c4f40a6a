/* dependencies.c: see dependencies.h.
**
** Both halves of a source read headers, and under __CUDA_ARCH__ the device half reads others: a rule names those of
** both, each once.  For the same reason -E gives both texts: tools that look for a change in it (ccache) would miss
** one in device code. */
#define _GNU_SOURCE
#include "launcher/dependencies.h"
#include "launcher/options.h"
#include "launcher/precompiled.h"
#include "launcher/tempfiles.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

char *rule_quote(const char *name) {
    char *out = text_alloc(2 * strlen(name) + 1), *p = out;
    for (; *name; name++) {
        if (*name == ' ' || *name == '#') *p++ = '\\';
        if (*name == '$') *p++ = '$';
        *p++ = *name;
    }
    return out;
}

/* target: file file \ ... */
StrVec rule_files(const char *rule) {
    StrVec files = {0};
    const char *s = strchr(rule, ':');
    for (s = s ? s + 1 : ""; *s;) {
        if (*s == ' ' || *s == '\n' || (*s == '\\' && s[1] == '\n')) {
            s++;
            continue;
        }
        char *word = text_alloc(strlen(s) + 1), *p = word;
        for (; *s && *s != ' ' && *s != '\n'; s++) {
            if (*s == '\\' && (s[1] == ' ' || s[1] == '#')) s++;
            else if (*s == '$' && s[1] == '$') s++;
            *p++ = *s;
        }
        vec_add(&files, word);
    }
    return files;
}

/* Files of ours that are no more when make reads the rule are left out. */
static bool add_half(StrVec *files, const char *rule) {
    size_t size;
    const char *text = file_read(rule, &size);
    if (!text) {
        launcher_error("cannot read '%s': %s", rule, strerror(errno));
        return false;
    }
    StrVec half = rule_files(text);
    for (size_t i = 0; i < half.n; i++)
        if (!vec_has(files, half.v[i]) && !temp_is_file(half.v[i]) && !precompiled_is_entry(half.v[i]))
            vec_add(files, half.v[i]);
    return true;
}

static FILE *open_output(const char *output) { return output ? fopen(output, "ab") : stdout; }

static int close_output(FILE *f, const char *output, const char *source) {
    bool good = f && !ferror(f) && (output ? fclose(f) : fflush(f)) == 0;
    if (good) return CUCPU_OK;
    launcher_error("cannot write what the preprocessor makes of '%s': %s", source, strerror(errno));
    return CUCPU_ERROR;
}

int rule_write(void *rule) {
    const Rule *r = rule;
    StrVec files = {0};
    if (!temp_is_file(r->source)) vec_add(&files, r->source);
    for (int i = 0; i < 2; i++)
        if (r->halves[i] && !add_half(&files, r->halves[i])) return CUCPU_ERROR;
    FILE *f = open_output(r->output);
    if (f) fprintf(f, "%s:", r->target);
    for (size_t i = 0; f && i < files.n; i++) fprintf(f, "%s%s", i ? " \\\n  " : " ", rule_quote(files.v[i]));
    if (f) fputc('\n', f);
    for (size_t i = 0; f && r->phony && i < files.n; i++)
        if (strcmp(files.v[i], r->source)) fprintf(f, "%s:\n", rule_quote(files.v[i]));
    return close_output(f, r->output, r->source);
}

int texts_write(void *texts) {
    const Texts *t = texts;
    FILE *f = open_output(t->output);
    for (int i = 0; f && i < 2; i++) {
        size_t size = 0;
        const char *text = t->halves[i] ? file_read(t->halves[i], &size) : NULL;
        if (text) fwrite(text, 1, size, f);
    }
    return close_output(f, t->output, t->source);
}
