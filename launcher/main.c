/* main.c: the cucpu command.
**
** Input: the command line of nvcc (options.def).  Output: objects, libraries, programs.  All
** work is in driver.c; here are the options that only print, the clean-up, and the exit status:
** 0, 1 for wrong input, 2 for input that cucpu cannot compile yet, 3 for an error of cucpu, or
** that of the program with --run. */
#define _GNU_SOURCE
#include "launcher/driver.h"
#include "launcher/jobs.h"
#include "launcher/nvvm.h"
#include "launcher/ptxas.h"
#include "launcher/run.h"
#include "launcher/tempfiles.h"
#include <errno.h>
#include <signal.h>
#include <string.h>

#ifndef CUCPU_VERSION
#define CUCPU_VERSION "0.0.0"
#endif

/* Build systems look for "release N.N" in what nvcc prints, and CMake for its name. */
static void print_version(void) {
    puts("cucpu: CUDA compiler driver for CPUs, takes the place of\n"
         "nvcc: NVIDIA (R) Cuda compiler driver\n"
         "Cuda compilation tools, release 12.8, V12.8.0\n"
         "cucpu " CUCPU_VERSION);
}

static void print_architectures(const char *prefix) {
    static const int known[] = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 101, 103, 110, 120, 121};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) printf("%s_%d\n", prefix, known[i]);
}

static int run(int argc, char **argv) {
    static Options o;
    if (!options_parse(&o, argc, argv)) return CUCPU_ERROR;
    if (o.help) return options_help(stdout), CUCPU_OK;
    if (o.help_markdown) return options_markdown(stdout), CUCPU_OK;
    if (o.version) return print_version(), CUCPU_OK;
    if (o.list_arch) return print_architectures("compute"), CUCPU_OK;
    if (o.list_code) return print_architectures("sm"), CUCPU_OK;
    return driver_run(&o);
}

/* A first word that is no file and no option; nvcc has none. */
static int (*subcommand(int argc, char **argv))(char **) {
    static const struct {
        const char *name;
        int (*run)(char **);
    } commands[] = {{"run", run_program}, {"info", print_info}, {"nvvm", compile_nvvm}};
    if (!strcmp(path_base(argv[0]), "ptxas")) return assemble_ptx;
    if (argc < 2 || strcmp(path_base(argv[0]), "cucpu")) return NULL;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(argv[1], commands[i].name)) return commands[i].run;
    return NULL;
}

int main(int argc, char **argv) {
    int (*command)(char **) = subcommand(argc, argv);
    if (command) {
        int status = command(command == assemble_ptx ? argv + 1 : argv + 2);
        text_free();
        return status;
    }
    jobs_init();
    int status = run(argc, argv);
    temp_close();
    text_free();
    if (fflush(stdout) != 0) {
        if (errno != EPIPE) launcher_error("cannot write to standard output: %s", strerror(errno));
        status = CUCPU_ERROR;
    }
    if (status < 0) { /* ended by a signal: let the shell see that */
        sigset_t one;
        sigemptyset(&one);
        sigaddset(&one, -status);
        signal(-status, SIG_DFL);
        raise(-status);
        sigprocmask(SIG_UNBLOCK, &one, NULL);
    }
    return status;
}
