/* side_files.c: see side_files.h.
**
** clang names these files after the object that it writes.  Ours is an intermediate one with another name, in a
** directory that goes when we end. */
#include "launcher/side_files.h"
#include <string.h>

typedef struct SideFile {
    const char *asked_by[4], *extension;
    bool device;          /* device code has one, too */
    bool later;           /* a program makes it while it runs: at its place, in the directory of -fprofile-dir= */
    const char *words[8]; /* "@": its name where it is written; "%": its name as it will be */
} SideFile;

static const SideFile files[] = {
    {{"--coverage", "-coverage", "-ftest-coverage"}, ".gcno", true, false, {"-Xclang", "-coverage-notes-file=@"}},
    {{"--coverage", "-coverage", "-fprofile-arcs"}, ".gcda", true, true, {"-Xclang", "-coverage-data-file=%"}},
    {{"-gsplit-dwarf"},
     ".dwo",
     false,
     false,
     {"-Xclang", "-split-dwarf-output", "-Xclang", "@", "-Xclang", "-split-dwarf-file", "-Xclang", "%"}},
    {{"-ftime-trace"}, ".json", false, false, {"-ftime-trace=@"}},
    {{"-fstack-usage"}, ".su", false, false, {"-Xclang", "-stack-usage-file", "-Xclang", "@"}},
    {{"-fsave-optimization-record"}, ".opt.yaml", false, false, {"-foptimization-record-file=@"}},
};

static bool is_asked(const SideFile *f, const StrVec *host) {
    for (size_t i = 0; i < 4 && f->asked_by[i]; i++)
        if (vec_has(host, f->asked_by[i])) return true;
    return false;
}

static const char *name_later(const StrVec *host, const char *name) {
    static const char option[] = "-fprofile-dir=";
    const char *directory = NULL;
    for (size_t i = 0; i < host->n; i++)
        if (text_starts(host->v[i], option)) directory = host->v[i] + sizeof option - 1;
    return directory ? text_format("%s/%s", directory, path_absolute(name)) : path_absolute(name);
}

static bool name_files(StrVec *argv, const StrVec *host, const char *stem, bool device, SideFileOutput *output,
                       void *context) {
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const SideFile *f = &files[i];
        if (!is_asked(f, host) || (device && !f->device)) continue;
        const char *name = text_format("%s%s", stem, f->extension), *written = f->later ? name : output(context, name);
        if (!written) return false;
        if (f->later) name = name_later(host, name);
        for (size_t k = 0; k < sizeof f->words / sizeof *f->words && f->words[k]; k++) {
            size_t n = strcspn(f->words[k], "@%");
            const char *value = f->words[k][n] == '@' ? written : f->words[k][n] ? name : "";
            vec_add(argv, text_format("%.*s%s", (int)n, f->words[k], value));
        }
    }
    return true;
}

bool side_files_name(StrVec *argv, const StrVec *host, const char *stem, SideFileOutput *output, void *context) {
    return name_files(argv, host, stem, false, output, context);
}

bool side_files_name_device(StrVec *argv, const StrVec *host, const char *stem, SideFileOutput *output, void *context) {
    return name_files(argv, host, text_format("%s.device", stem), true, output, context);
}

bool side_files_have_coverage(const StrVec *host) {
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i].device && is_asked(&files[i], host)) return true;
    for (size_t i = 0; i < host->n; i++)
        if (text_starts(host->v[i], "-fprofile-instr-generate")) return true;
    return false;
}
