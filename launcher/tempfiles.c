/* tempfiles.c: see tempfiles.h.
**
** All intermediate files are in one fresh directory, so that removing them needs no list.  An
** output is written under a hidden name next to its final place and renamed when the whole run
** has succeeded; a reader never sees half a file and a failing run leaves the old one alone.
** Devices and pipes (-o /dev/null) get a copy: a tool must not replace or remove them. */
#define _GNU_SOURCE
#include "launcher/tempfiles.h"
#include "launcher/options.h"
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *directory;
static bool keep;
static unsigned files;
static StrVec begun, named;

bool temp_open(const char *keep_directory) {
    keep = keep_directory != NULL;
    if (keep) {
        struct stat st;
        directory = keep_directory;
        if (stat(directory, &st) == 0 && S_ISDIR(st.st_mode)) return true;
        launcher_error("no such directory for intermediate files: '%s'", directory);
        return false;
    }
    const char *base = getenv("TMPDIR");
    char *name = text_format("%s/cucpu-XXXXXX", base && *base ? base : "/tmp");
    directory = mkdtemp(name);
    if (!directory)
        launcher_error("cannot make a directory for intermediate files in '%s': %s", path_directory(name),
                       strerror(errno));
    return directory != NULL;
}

const char *temp_file(const char *stem, const char *suffix) {
    const char *name = text_format("%s/%s%s", directory, stem, suffix);
    for (unsigned i = 2; vec_has(&named, name); i++) /* x/a.cu and y/a.cu */
        name = text_format("%s/%s-%u%s", directory, stem, i, suffix);
    vec_add(&named, name);
    return name;
}

bool temp_is_file(const char *path) { return vec_has(&named, path); }

const char *output_begin(const char *path) {
    struct stat st;
    const char *dir = path_directory(path);
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        launcher_error("cannot write '%s': it is a directory", path);
        return NULL;
    }
    if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode)) return temp_file(path_base(path), ".copy");
    if (stat(dir, &st) != 0 || !S_ISDIR(st.st_mode)) {
        launcher_error("cannot write '%s': no directory '%s'", path, dir);
        return NULL;
    }
    if (access(dir, W_OK) != 0) {
        launcher_error("cannot write '%s': %s", path, strerror(errno));
        return NULL;
    }
    const char *name = text_format("%s/.cucpu-%ld-%u-%s", dir, (long)getpid(), files++, path_base(path));
    vec_add(&begun, name);
    return name;
}

static bool copy_file(const char *from, const char *to) {
    size_t n;
    const char *bytes = file_read(from, &n);
    return bytes && file_write(to, bytes, n);
}

bool output_commit(const char *path, const char *written, bool executable) {
    struct stat st;
    mode_t mask = umask(0);
    umask(mask);
    if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode)) { /* a device, a pipe, a link as /dev/stdout */
        bool link = S_ISLNK(st.st_mode) && executable;
        if (copy_file(written, path) && (!link || chmod(path, 0777 & ~mask) == 0)) return true;
    } else if (chmod(written, (executable ? 0777 : 0666) & ~mask) == 0 && rename(written, path) == 0) {
        return true;
    }
    launcher_error("cannot write '%s': %s", path, strerror(errno));
    return false;
}

static void remove_directory(const char *path) {
    DIR *d = opendir(path);
    if (!d) return;
    for (struct dirent *e; (e = readdir(d));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) unlinkat(dirfd(d), e->d_name, 0);
    closedir(d);
    rmdir(path);
}

/* The output, and what clang, which names its temporary files after it, leaves where it cannot write. */
static void remove_begun(const char *name) {
    glob_t found;
    const char *stem = text_copy(name, strlen(name) - strlen(path_extension(name)));
    unlink(name);
    if (glob(text_format("%s-*.tmp", stem), 0, NULL, &found)) return;
    for (size_t i = 0; i < found.gl_pathc; i++) unlink(found.gl_pathv[i]);
    globfree(&found);
}

void temp_close(void) {
    for (size_t i = 0; i < begun.n; i++) remove_begun(begun.v[i]);
    begun.n = 0;
    if (directory && !keep) remove_directory(directory);
    directory = NULL;
}
