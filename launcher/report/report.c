/* report.c: see report.h.  The page is a template, page.html, in which the JSON text takes the place of a mark; a
** script in it makes the rest.  It needs no other file, and nothing from the network. */
#define _GNU_SOURCE
#include "launcher/report/report.h"
#include "launcher/options.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

extern const char report_page[]; /* made of page.html */
extern const size_t report_page_size;

static const char mark[] = "@REPORT@";

/* In a script element "</script>" would end it. */
static void put_json(FILE *f, const char *json, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (json[i] == '<') fputs("\\u003c", f);
        else fputc(json[i], f);
}

static void put_page(FILE *f, const char *json, size_t size) {
    const char *at = memmem(report_page, report_page_size, mark, sizeof mark - 1);
    fwrite(report_page, 1, (size_t)(at - report_page), f);
    put_json(f, json, size);
    at += sizeof mark - 1;
    fwrite(at, 1, (size_t)(report_page + report_page_size - at), f);
}

static bool write_file(const char *path, const char *json, size_t size, bool page) {
    FILE *f = fopen(path, "w");
    if (f && page) put_page(f, json, size);
    else if (f) fwrite(json, 1, size, f);
    bool bad = !f || ferror(f);
    if (f && fclose(f)) bad = true;
    if (bad) launcher_error("cannot write '%s': %s", path, strerror(errno));
    return !bad;
}

bool report_write(void *files, const char *json, size_t size) {
    const ReportFiles *r = files;
    return (!r->json || write_file(r->json, json, size, false)) && (!r->html || write_file(r->html, json, size, true));
}
