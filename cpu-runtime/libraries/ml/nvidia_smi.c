/* nvidia_smi.c: the command nvidia-smi: what scripts and users look at, from libnvidia-ml's answers.
**
** The table, -L, and --query-gpu=FIELD,... --format=csv[,noheader][,nounits], each of one device with -i.  It lies in
** lib/cucpu/bin, which `cucpu run` puts first in PATH: where there are GPUs NVIDIA's command stays what it is. */
#define _GNU_SOURCE
#include "nvml.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WRONG = 2, FAILED = 255, MAX_FIELDS = 256 };

typedef struct Gpu {
    unsigned index, count, clock, memory_clock;
    int major, minor, cuda;
    char name[NVML_DEVICE_NAME_V2_BUFFER_SIZE], uuid[NVML_DEVICE_UUID_V2_BUFFER_SIZE], driver[80];
    nvmlPciInfo_t pci;
    nvmlMemory_t memory;
    nvmlUtilization_t use;
} Gpu;

static const char *format(const char *text, ...) __attribute__((format(printf, 1, 2)));
static const char *format(const char *text, ...) {
    static char out[64];
    va_list a;
    va_start(a, text);
    vsnprintf(out, sizeof out, text, a);
    va_end(a);
    return out;
}

static const char *now(void) {
    static char out[64];
    struct timespec t;
    struct tm tm;
    clock_gettime(CLOCK_REALTIME, &t);
    localtime_r(&t.tv_sec, &tm);
    size_t n = strftime(out, sizeof out, "%Y/%m/%d %H:%M:%S", &tm);
    snprintf(out + n, sizeof out - n, ".%03d", (int)(t.tv_nsec / 1000000));
    return out;
}

typedef struct Field {
    const char *name, *other, *unit;
} Field;
static const Field fields[] = {
#define FIELD(name, other, unit, value) {#name, other, unit},
#define NOT_AVAILABLE(name, unit) {#name, NULL, unit},
#include "nvidia_smi.def"
};
enum { FIELDS = sizeof fields / sizeof *fields };

static const char *value_of(size_t field, const Gpu *g) {
    size_t k = 0;
#define FIELD(name, other, unit, value)                                                                                \
    if (field == k++) return value;
#define NOT_AVAILABLE(name, unit) k++;
#include "nvidia_smi.def"
    return NULL;
}

/* ---- the device ---- */

static nvmlReturn_t read_gpu(unsigned index, Gpu *g) {
    nvmlDevice_t d;
    nvmlReturn_t r = nvmlDeviceGetHandleByIndex_v2(index, &d);
    if (r) return r;
    nvmlDeviceGetIndex(d, &g->index);
    nvmlDeviceGetCount_v2(&g->count);
    nvmlDeviceGetName(d, g->name, sizeof g->name);
    nvmlDeviceGetUUID(d, g->uuid, sizeof g->uuid);
    nvmlDeviceGetPciInfo_v3(d, &g->pci);
    nvmlDeviceGetCudaComputeCapability(d, &g->major, &g->minor);
    nvmlDeviceGetMaxClockInfo(d, NVML_CLOCK_SM, &g->clock);
    nvmlDeviceGetMaxClockInfo(d, NVML_CLOCK_MEM, &g->memory_clock);
    nvmlSystemGetDriverVersion(g->driver, sizeof g->driver);
    nvmlSystemGetCudaDriverVersion_v2(&g->cuda);
    nvmlDeviceGetMemoryInfo(d, &g->memory);
    usleep(20000); /* the use is that since nvmlInit */
    return nvmlDeviceGetUtilizationRates(d, &g->use);
}

static bool is_chosen(const Gpu *g, const char *id) {
    return !id || !strcmp(id, format("%u", g->index)) || !strcmp(id, g->uuid) || !strcmp(id, g->pci.busId);
}

/* ---- what is printed ---- */

static void rule(char line, char end, char joint) {
    static const int widths[] = {41, 24, 22};
    for (int i = 0; i < 3; i++) {
        putchar(i ? joint : end);
        for (int k = 0; k < widths[i]; k++) putchar(line);
    }
    printf("%c\n", end);
}

static void print_table(const Gpu *g) {
    char memory[40];
    snprintf(memory, sizeof memory, "%lluMiB / %lluMiB", g->memory.used >> 20, g->memory.total >> 20);
    puts("+-----------------------------------------------------------------------------------------+");
    printf("| NVIDIA-SMI of cucpu      Driver Version: %-16s CUDA Version: %d.%-14d |\n", g->driver, g->cuda / 1000,
           g->cuda % 1000 / 10);
    rule('-', '+', '+');
    printf("| GPU  %-35s| %-23s| %20s |\n", "Name", "Bus-Id", "Compute M.");
    printf("| %-40s| %22s | %20s |\n", "Threads", "Memory-Usage", "GPU-Util  Comp. Cap.");
    rule('=', '|', '+');
    printf("| %3u  %-35.35s| %-23s| %20s |\n", g->index, g->name, g->pci.busId, "Default");
    printf("| %-40ld| %22s | %7u%% %11s |\n", sysconf(_SC_NPROCESSORS_ONLN), memory, g->use.gpu,
           format("%d.%d", g->major, g->minor));
    rule('-', '+', '+');
}

static void print_row(const size_t *list, size_t n, const Gpu *g, bool header, bool units) {
    for (size_t i = 0; i < n; i++) {
        const Field *f = &fields[list[i]];
        const char *value = header ? f->name : value_of(list[i], g);
        printf("%s%s", i ? ", " : "", value ? value : "[N/A]");
        if (header && f->unit) printf(" [%s]", f->unit);
        else if (value && units && f->unit) printf(" %s", f->unit);
    }
    putchar('\n');
}

/* ---- the command line ---- */

typedef struct Request {
    const char *query, *format, *id;
    bool list, header, units;
} Request;

static int wrong(const char *text, const char *word) {
    fprintf(stderr, "nvidia-smi: error: %s '%s'; see nvidia-smi --help\n", text, word);
    return WRONG;
}

static int read_format(Request *r) {
    bool csv = false;
    char *words = strdup(r->format), *rest = words;
    for (const char *w; (w = strsep(&rest, ","));) {
        if (!strcmp(w, "csv")) csv = true;
        else if (!strcmp(w, "noheader")) r->header = false;
        else if (!strcmp(w, "nounits")) r->units = false;
        else return wrong("--format: unknown word", w);
    }
    free(words);
    return csv ? 0 : wrong("--format: only csv is known, not", r->format);
}

static int print_query(const Request *r, const Gpu *g) {
    size_t list[MAX_FIELDS], n = 0;
    char *words = strdup(r->query), *rest = words;
    for (const char *w; (w = strsep(&rest, ","));) {
        w += strspn(w, " ");
        size_t k = 0;
        while (k < FIELDS && strcmp(w, fields[k].name) && (!fields[k].other || strcmp(w, fields[k].other))) k++;
        if (k == FIELDS || n == MAX_FIELDS) return wrong("--query-gpu: unknown field", w);
        list[n++] = k;
    }
    if (r->header) print_row(list, n, g, true, r->units);
    print_row(list, n, g, false, r->units);
    free(words);
    return 0;
}

static void help(void) {
    puts("Usage: nvidia-smi [-L] [-i ID] [--query-gpu=FIELD,... --format=csv[,noheader][,nounits]]\n"
         "Shows the devices that programs see with cucpu.\n"
         "  -L, --list-gpus    one line for each\n"
         "  -i, --id=ID        only the one with this index, UUID or bus id\n"
         "  --help-query-gpu   the fields");
}

static void help_fields(void) {
    for (size_t i = 0; i < FIELDS; i++)
        printf("%s%s%s\n", fields[i].name, fields[i].other ? ", " : "", fields[i].other ? fields[i].other : "");
}

/* The value of --name=value or --name value. */
static const char *take(char ***argv, const char *name) {
    size_t n = strlen(name);
    if (strncmp(**argv, name, n)) return NULL;
    if ((**argv)[n] == '=') return **argv + n + 1;
    return !(**argv)[n] && (*argv)[1] ? *++*argv : NULL;
}

static int read_words(Request *r, char **argv) {
    for (; *argv; argv++) {
        const char *v;
        if (!strcmp(*argv, "-L") || !strcmp(*argv, "--list-gpus")) r->list = true;
        else if ((v = take(&argv, "--query-gpu"))) r->query = v;
        else if ((v = take(&argv, "--format"))) r->format = v;
        else if ((v = take(&argv, "--id")) || (v = take(&argv, "-i"))) r->id = v;
        else return wrong("unknown option", *argv);
    }
    if (r->query && !r->format) return wrong("without --format=csv:", "--query-gpu");
    return r->format ? r->query ? read_format(r) : wrong("without --query-gpu:", "--format") : 0;
}

int main(int argc, char **argv) {
    Request r = {.header = true, .units = true};
    static Gpu g;
    if (argc == 2 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))) return help(), 0;
    if (argc == 2 && !strcmp(argv[1], "--help-query-gpu")) return help_fields(), 0;
    int status = read_words(&r, argv + 1);
    if (status) return status;
    if (nvmlInit_v2() || read_gpu(0, &g)) {
        fprintf(stderr, "nvidia-smi: error: the device does not answer\n");
        return FAILED;
    }
    if (!is_chosen(&g, r.id)) return wrong("no device is called", r.id);
    if (r.query) return print_query(&r, &g);
    if (r.list) printf("GPU %u: %s (UUID: %s)\n", g.index, g.name, g.uuid);
    else print_table(&g);
    return 0;
}
