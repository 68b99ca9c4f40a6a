/* reports.c: each report is a query of the SQLite file (reports.def), printed in columns or as CSV. */
#include "launcher/profile/reports.h"
#include "launcher/profile/database.h"
#include "launcher/profile/sqlite.h"
#include "launcher/profile/units.h"
#include "launcher/text.h"
#include <math.h>
#include <string.h>

typedef struct Report {
    const char *name, *title, *data, *sql;
} Report;
static const Report reports[] = {
#define REPORT(name, title, data, sql) {name, title, data, sql},
#include "launcher/profile/reports.def"
#undef REPORT
};
enum { REPORTS = sizeof reports / sizeof *reports, COLUMNS = 24 };

const char *const default_reports[] = {
    "nvtx_sum", "cuda_api_sum", "cuda_gpu_kern_sum", "cuda_gpu_mem_time_sum", "cuda_gpu_mem_size_sum", NULL};

/* Older versions of Nsight Systems wrote the words out. */
static const struct {
    const char *old, *name;
} aliases[] = {{"cudaapisum", "cuda_api_sum"},
               {"gpukernsum", "cuda_gpu_kern_sum"},
               {"gpumemtimesum", "cuda_gpu_mem_time_sum"},
               {"gpumemsizesum", "cuda_gpu_mem_size_sum"},
               {"gpusum", "cuda_gpu_sum"},
               {"gputrace", "cuda_gpu_trace"},
               {"cudaapitrace", "cuda_api_trace"},
               {"nvtxsum", "nvtx_sum"}};

static const Report *find(const char *name) {
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (!strcmp(aliases[i].old, name)) name = aliases[i].name;
    for (size_t i = 0; i < REPORTS; i++)
        if (!strcmp(reports[i].name, name)) return &reports[i];
    return NULL;
}

bool report_known(const char *name) { return find(name) != NULL; }

void report_list(FILE *out) {
    for (size_t i = 0; i < REPORTS; i++) fprintf(out, "  %-22s %s\n", reports[i].name, reports[i].title);
}

/* ---- cells ---- */

/* 1234567 -> 1,234,567 */
static const char *grouped(const char *digits) {
    const char *out = "", *sign = *digits == '-' ? "-" : "";
    digits += *sign == '-';
    size_t whole = strcspn(digits, ".");
    for (size_t i = 0; i < whole; i++)
        out = text_format("%s%c%s", out, digits[i], i + 1 < whole && (whole - i - 1) % 3 == 0 ? "," : "");
    return text_format("%s%s%s", sign, out, digits + whole);
}

static const char *cell(const Sqlite *q, sqlite3_stmt *s, int at, Format format) {
    int type = q->column_type(s, at);
    const char *column = q->column_name(s, at);
    if (type == SQLITE_NULL_) return format == FORMAT_COLUMN ? "" : "";
    if (type == SQLITE_FLOAT_ || text_starts(column, "StdDev")) {
        double v = q->column_double(s, at);
        if (text_starts(column, "StdDev")) v = sqrt(v);
        const char *digits = text_format(strstr(column, "(MB)") ? "%.3f" : "%.1f", v);
        return format == FORMAT_COLUMN ? grouped(digits) : digits;
    }
    const char *text = text_format("%s", (const char *)q->column_text(s, at));
    if (type == SQLITE_INTEGER_) return format == FORMAT_COLUMN ? grouped(text) : text;
    return format == FORMAT_CSV && strpbrk(text, ",\"") ? csv_text(text) : text;
}

/* ---- tables ---- */

static void print_lines(FILE *out, const StrVec *cells, int columns, Format format) {
    for (size_t i = 0; i < cells->n; i++)
        fprintf(out, "%s%s", cells->v[i],
                (int)(i % (size_t)columns) + 1 == columns ? "\n"
                : format == FORMAT_CSV                    ? ","
                                                          : "\t");
}

static void print_columns(FILE *out, const StrVec *cells, int columns) {
    size_t width[COLUMNS] = {0};
    for (size_t i = 0; i < cells->n; i++) {
        size_t n = strlen(cells->v[i]);
        if (n > width[i % (size_t)columns]) width[i % (size_t)columns] = n;
    }
    for (size_t i = 0; i < cells->n; i++) {
        int c = (int)(i % (size_t)columns);
        if (c + 1 == columns) fprintf(out, "  %s\n", cells->v[i]);
        else fprintf(out, "%s%*s", c ? "  " : " ", (int)width[c], cells->v[i]);
        if (i + 1 != (size_t)columns) continue;
        for (c = 0; c < columns; c++)
            fprintf(out, "%s%.*s", c ? "  " : " ", (int)width[c],
                    "--------------------------------------------------------------------------------");
        putc('\n', out);
    }
}

static const char *print_report(FILE *out, const Sqlite *q, sqlite3 *db, const Report *r, const char *file,
                                Format format) {
    sqlite3_stmt *s;
    StrVec cells = {0};
    if (q->prepare_v2(db, r->sql, -1, &s, NULL)) return text_format("%s: %s", file, q->errmsg(db));
    int columns = q->column_count(s);
    for (int c = 0; c < columns; c++) vec_add(&cells, text_format("%s", q->column_name(s, c)));
    size_t rows = 0;
    for (; q->step(s) == SQLITE_ROW_; rows++)
        for (int c = 0; c < columns; c++) vec_add(&cells, cell(q, s, c, format));
    q->finalize(s);
    if (!rows) {
        fprintf(out, "SKIPPED: %s does not contain %s.\n\n", file, r->data);
        return NULL;
    }
    if (format == FORMAT_COLUMN) fprintf(out, " ** %s (%s):\n\n", r->title, r->name);
    if (format == FORMAT_COLUMN) print_columns(out, &cells, columns);
    else print_lines(out, &cells, columns, format);
    putc('\n', out);
    return NULL;
}

const char *reports_print(FILE *out, const char *file, const char *const *names, Format format) {
    const Sqlite *q = sqlite_load();
    sqlite3 *db = NULL;
    if (!q) return database_missing();
    if (!file_exists(file)) return text_format("%s does not exist", file);
    if (q->open_v2(file, &db, SQLITE_OPEN_READONLY_, NULL)) return text_format("%s cannot be opened", file);
    const char *error = NULL;
    for (; *names && !error; names++) error = print_report(out, q, db, find(*names), file, format);
    q->close(db);
    return error;
}
