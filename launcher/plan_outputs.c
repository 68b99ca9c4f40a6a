/* plan_outputs.c: see plan.h. */
#define _GNU_SOURCE
#include "launcher/plan.h"
#include "launcher/dependencies.h"
#include "launcher/side_files.h"
#include "launcher/tempfiles.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- names ---- */

static bool is_input(const Options *o, const char *path) {
    struct stat out, in;
    if (stat(path, &out) != 0 || !S_ISREG(out.st_mode)) return false;
    for (size_t i = 0; i < o->nitems; i++)
        if (o->items[i].is_file && stat(o->items[i].text, &in) == 0 && in.st_dev == out.st_dev &&
            in.st_ino == out.st_ino)
            return true;
    return false;
}

const char *add_output(Plan *p, const char *path, bool executable) {
    if (strcmp(path, "-") == 0) return "/dev/stdout";
    if (p->noutputs == sizeof p->outputs / sizeof *p->outputs) {
        launcher_error("too many outputs in one command");
        return NULL;
    }
    if (is_input(p->o, path)) {
        launcher_error("'%s' is an input: it would be overwritten", path);
        return NULL;
    }
    for (size_t i = 0; i < p->noutputs; i++) {
        if (strcmp(p->outputs[i].path, path)) continue;
        if (path == p->o->dependency_file) return p->outputs[i].written; /* rules of several sources */
        launcher_error("two inputs would write '%s'", path);
        return NULL;
    }
    const char *written = output_begin(path);
    if (written) p->outputs[p->noutputs++] = (Output){path, written, executable};
    return written;
}

const char *default_output(const Options *o, const char *input, const char *suffix) {
    const char *name = text_format("%s%s", path_stem(input), suffix);
    return o->output_directory ? text_format("%s/%s", o->output_directory, name) : name;
}

const char *output_of(const Options *o, const char *input, const char *suffix) {
    return o->output ? o->output : default_output(o, input, suffix);
}

bool commit_outputs(Plan *p) {
    for (size_t i = 0; i < p->noutputs; i++) {
        Output *out = &p->outputs[i];
        if (file_exists(out->written) && !output_commit(out->path, out->written, out->executable)) return false;
    }
    return true;
}

int remove_outputs(const Plan *p) {
    for (size_t i = 0; i < p->noutputs; i++)
        if (unlink(p->outputs[i].path) != 0 && errno != ENOENT) {
            launcher_error("cannot remove '%s': %s", p->outputs[i].path, strerror(errno));
            return CUCPU_ERROR;
        }
    return CUCPU_OK;
}

size_t count_sources(const Options *o) {
    size_t n = 0;
    for (size_t i = 0; i < o->nitems; i++) n += o->items[i].kind != ITEM_LINK;
    return n;
}

/* ---- beside objects ---- */

/* One output of what the halves have written: files[0] by the host half, files[1] by the device half, either may be
** NULL. */
static Job *plan_joined(Plan *p, const char *stage, const char *source, const char *const *files, const char *output) {
    Job *j = job_add(&p->jobs, stage, source);
    vec_add(&j->argv, text_format("[%s]", stage));
    for (int i = 0; i < 2; i++)
        if (files[i]) vec_add(&j->argv, files[i]);
    vec_add(&j->argv, "-o");
    vec_add(&j->argv, output ? output : "-");
    return j;
}

static Job *plan_joined_rules(Plan *p, const char *source, const char *target, const char *const *files,
                              const char *output) {
    const Options *o = p->o;
    Rule *r = text_alloc(sizeof *r);
    *r = (Rule){o->dependency_target ? o->dependency_target : rule_quote(target),
                source,
                {files[0], files[1]},
                output,
                o->dependency_phony};
    Job *j = plan_joined(p, "make-rule", source, files, output);
    j->function = rule_write;
    j->context = r;
    return j;
}

static Job *plan_joined_texts(Plan *p, const char *source, const char *const *files, const char *output) {
    Texts *t = text_alloc(sizeof *t);
    *t = (Texts){source, {files[0], files[1]}, output};
    Job *j = plan_joined(p, "preprocessed-text", source, files, output);
    j->function = texts_write;
    j->context = t;
    return j;
}

bool plan_rule(Plan *p, const char *source, const char *object, Job *host, Job *device) {
    const Options *o = p->o;
    if (!o->write_dependencies && !o->write_dependencies_user) return true;
    const char *file = o->dependency_file, *files[2] = {0}, *written;
    if (o->output && count_sources(o) == 1) {
        if (!file) file = text_format("%s/%s.d", path_directory(o->output), path_stem(o->output));
        object = o->output;
    }
    if (!file) file = default_output(o, source, ".d");
    if (!(written = add_output(p, file, false))) return false;
    Job *halves[] = {host, device};
    for (int i = 0; i < 2; i++) {
        if (!halves[i]) continue;
        files[i] = temp_file(path_stem(source), i ? ".device.d" : ".host.d");
        command_dependencies(&halves[i]->argv, o, files[i]);
    }
    Job *j = plan_joined_rules(p, source, object, files, written);
    j->needs[0] = host, j->needs[1] = device;
    return true;
}

static const char *add_side_file(void *plan, const char *name) { return add_output(plan, name, false); }

bool plan_side_files(Plan *p, Job *j, const char *source, const char *object) {
    const Options *o = p->o;
    const char *stem = text_copy(object, strlen(object) - strlen(path_extension(object)));
    if (!o->compile_only) stem = text_format("%s-%s", o->output ? o->output : "a", path_stem(source));
    return side_files_name(&j->argv, &o->host, stem, add_side_file, p);
}

static Job *plan_half_text(Plan *p, const Item *item, const char *out, bool device) {
    const Options *o = p->o;
    Job *j = job_add(&p->jobs, device ? "device half" : "preprocessor", item->text);
    if (device) command_device(&j->argv, &p->tools, o, item->text, "", 0);
    else if (item->kind == ITEM_CUDA) command_host(&j->argv, &p->tools, o, item->text, "", NULL, 0);
    else command_plain(&j->argv, &p->tools, o, item->kind, item->text, "");
    command_preprocess(&j->argv, o, out, device);
    return j;
}

bool plan_preprocess(Plan *p, const Item *item) {
    const Options *o = p->o;
    const char *target = default_output(o, item->text, ".o"), *file = o->output, *files[2] = {0}, *written = NULL;
    if (!o->preprocess && o->dependency_file) file = o->dependency_file;
    if (file && strcmp(file, "-") && !(written = add_output(p, file, false))) return false;
    Job *jobs[2] = {0};
    for (int i = 0; i < 2 && item->kind != ITEM_PTX; i++) {
        if (i && item->kind != ITEM_CUDA) break;
        files[i] = temp_file(path_stem(item->text), i ? ".device.text" : ".host.text");
        jobs[i] = plan_half_text(p, item, files[i], i);
        jobs[i]->needs[0] = p->text;
    }
    if (jobs[1]) jobs[0]->twin = jobs[1], jobs[1]->twin = jobs[0];
    if (o->preprocess && !plan_rule(p, item->text, target, jobs[0], jobs[1])) return false;
    Job *j = o->preprocess ? plan_joined_texts(p, item->text, files, written)
                           : plan_joined_rules(p, item->text, target, files, written);
    j->needs[0] = jobs[0], j->needs[1] = jobs[1];
    if (!jobs[0]) j->needs[0] = p->text;
    j->to_stdout = true;
    p->text = j;
    return true;
}
