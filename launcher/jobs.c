/* jobs.c: runs the job graph.
**
** Each job is a child process whose messages go to a file of its own, printed when the job is
** over: two halves that run side by side must not mix their lines, and a message which both
** halves of a source give is shown once (messages.c).  The driver's own work (the kernel
** compiler) also runs in a forked child, so that a crash of it is reported like a crash of any
** other stage and cannot leave files behind.
**
** The driver waits in sigwaitinfo: SIGCHLD and the signals that end a process are blocked from
** the start, so there is no handler and no race. */
#define _GNU_SOURCE
#include "launcher/jobs.h"
#include "launcher/messages.h"
#include "launcher/options.h"
#include "launcher/packages.h"
#include "launcher/pages.h"
#include "launcher/tempfiles.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static sigset_t waited, before;

void jobs_init(void) {
    signal(SIGCHLD, SIG_DFL);
    signal(SIGXFSZ, SIG_IGN); /* then writing fails, with a message */
    signal(SIGPIPE, SIG_IGN); /* who reads the commands of -v may go away */
    sigemptyset(&waited);
    sigaddset(&waited, SIGCHLD);
    sigaddset(&waited, SIGINT);
    sigaddset(&waited, SIGTERM);
    sigaddset(&waited, SIGHUP);
    sigaddset(&waited, SIGQUIT);
    sigprocmask(SIG_BLOCK, &waited, &before);
}

Job *job_add(JobList *list, const char *stage, const char *input) {
    if (list->n == list->cap) {
        size_t cap = list->cap ? 2 * list->cap : 16;
        Job **bigger = text_alloc(cap * sizeof *bigger);
        if (list->n) memcpy(bigger, list->v, list->n * sizeof *bigger);
        list->v = bigger;
        list->cap = cap;
    }
    Job *j = text_alloc(sizeof *j);
    j->stage = stage;
    j->input = input;
    return list->v[list->n++] = j;
}

bool jobs_write_times(const JobList *list, const char *file) {
    bool to_stdout = strcmp(file, "-") == 0;
    FILE *f = to_stdout ? stdout : fopen(file, "a");
    if (f && (to_stdout || (fseek(f, 0, SEEK_END) == 0 && ftell(f) == 0)))
        fprintf(f, "source file name, phase name, metric, unit\n");
    for (size_t i = 0; f && i < list->n; i++)
        fprintf(f, "%s, %s, %.3f, ms\n", list->v[i]->input, list->v[i]->stage, list->v[i]->milliseconds);
    if (f && (to_stdout ? fflush(f) : fclose(f)) == 0) return true;
    launcher_error("cannot write '%s': %s", file, strerror(errno));
    return false;
}

static void print_command(const Job *j) {
    fputs("#$", stderr);
    for (size_t i = 0; i < j->argv.n; i++) fprintf(stderr, " %s", text_quote(j->argv.v[i]));
    fputc('\n', stderr);
}

void jobs_print(const JobList *list) {
    for (size_t i = 0; i < list->n; i++) print_command(list->v[i]);
}

/* ---- one child ---- */

/* Source text that is nested deeply takes more of it than there is by default; clang counts brackets, not bytes. */
static void raise_stack_limit(void) {
    const rlim_t wanted = 64 << 20;
    struct rlimit r;
    if (getrlimit(RLIMIT_STACK, &r) || r.rlim_cur == RLIM_INFINITY || r.rlim_cur >= wanted) return;
    r.rlim_cur = r.rlim_max == RLIM_INFINITY || r.rlim_max > wanted ? wanted : r.rlim_max;
    setrlimit(RLIMIT_STACK, &r);
}

static _Noreturn void child(Job *j, int messages) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    sigprocmask(SIG_SETMASK, &before, NULL);
    signal(SIGPIPE, SIG_DFL);
    if (j->is_program) signal(SIGXFSZ, SIG_DFL);
    else raise_stack_limit();
    if (!j->is_program) dup2(messages, STDERR_FILENO);
    if (!j->to_stdout && !j->is_program) dup2(messages, STDOUT_FILENO);
    if (j->function) {
        pages_of_own();
        int status = j->function(j->context);
        fflush(NULL);
        _exit(status);
    }
    if (!j->is_program) pages_of_tool();
    if (j->quick) {
        if (j->quick(j)) _exit(0);
        if (ftruncate(messages, 0)) _exit(CUCPU_ERROR); /* only argv may tell what is wrong */
    }
    execv(j->argv.v[0], (char *const *)vec_argv(&j->argv));
    dprintf(STDERR_FILENO, "cucpu: error: cannot run '%s': %s\n", j->argv.v[0], strerror(errno));
    _exit(127);
}

static bool start(Job *j, bool verbose) {
    if (verbose) print_command(j);
    j->messages = temp_file(path_base(j->input), ".messages");
    int messages = open(j->messages, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_APPEND, 0600);
    if (messages < 0) {
        launcher_error("cannot write '%s': %s", j->messages, strerror(errno));
        return false;
    }
    fflush(NULL);
    j->pid = fork();
    if (j->pid == 0) child(j, messages);
    close(messages);
    if (j->pid < 0) {
        launcher_error("cannot start a process: %s", strerror(errno));
        return false;
    }
    j->state = JOB_RUNNING;
    clock_gettime(CLOCK_MONOTONIC, &j->started);
    return true;
}

/* What LLVM's tools say of a full disk looks like an error of theirs, with a stack dump; its linker maps the output and
** gets SIGBUS. */
static const char *io_failure(const Job *j) {
    static const char *const streams[] = {"LLVM ERROR: IO failure on output stream: ",
                                          "error in backend: IO failure on output stream: "};
    static const char *const signals[] = {"clang: error: unable to execute command: Bus error",
                                          "ended with signal 7 (Bus error)"};
    size_t size = 0;
    const char *text = file_read(j->messages, &size), *found;
    for (int i = 0; i < 2 && text; i++) {
        if ((found = strstr(text, streams[i])) != NULL)
            return text_copy(found + strlen(streams[i]), strcspn(found + strlen(streams[i]), "\n"));
        if (strstr(text, signals[i])) return "a bus error; is the disk full?";
    }
    return NULL;
}

static void shorten_io_failure(Job *j) {
    const char *reason = j->status && !j->is_program ? io_failure(j) : NULL;
    if (!reason) return;
    const char *line =
        text_format("cucpu: error: cannot write what the %s makes of '%s': %s\n", j->stage, j->input, reason);
    file_write(j->messages, line, strlen(line));
    j->status = CUCPU_ERROR;
}

static void finish(Job *j, int wait_status) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    j->milliseconds = (double)(now.tv_sec - j->started.tv_sec) * 1e3 + (double)(now.tv_nsec - j->started.tv_nsec) / 1e6;
    if (WIFEXITED(wait_status)) {
        j->status = WEXITSTATUS(wait_status);
    } else if (j->is_program) {
        j->status = -WTERMSIG(wait_status);
    } else if (WTERMSIG(wait_status) == SIGPIPE && j->to_stdout) { /* the reader has seen enough */
        j->status = CUCPU_ERROR;
    } else {
        j->status = CUCPU_BUG;
        FILE *f = fopen(j->messages, "a");
        if (f) {
            fprintf(f, "cucpu: error: internal error: the %s of '%s' ended with signal %d (%s)\n", j->stage, j->input,
                    WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)));
            fclose(f);
        }
    }
    j->state = j->status ? JOB_FAILED : JOB_DONE;
    shorten_io_failure(j);
}

int job_command(StrVec *argv) {
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        execv(argv->v[0], (char *const *)vec_argv(argv));
        dprintf(STDERR_FILENO, "cucpu: error: cannot run '%s': %s\n", argv->v[0], strerror(errno));
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid) return CUCPU_BUG;
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    launcher_error("'%s' ended with signal %d (%s)", argv->v[0], WTERMSIG(status), strsignal(WTERMSIG(status)));
    return CUCPU_BUG;
}

/* ---- messages ---- */

static bool is_over(const Job *j) { return j->state >= JOB_DONE; }

/* The first half of a pair waits for the second, so that their messages come out in one order
** whatever the timing. */
static void print_messages(Job *j) {
    Job *other = j->twin;
    if (j->printed || !is_over(j) || (other && !is_over(other))) return;
    j->printed = true;
    if (other) other->printed = true;
    /* the host half first: it is the one that reads like another compiler */
    const Job *first = other && strcmp(j->stage, "device half") == 0 ? other : j;
    const Job *second = first == j ? other : j;
    if (first->status > 0 && !first->is_program) packages_note(first->messages);
    if (second && second->status > 0) packages_note(second->messages);
    messages_print(first->messages, second ? second->messages : NULL, stderr);
    if (first->messages) unlink(first->messages);
    if (second && second->messages) unlink(second->messages);
}

/* ---- the graph ---- */

static bool is_ready(const JobList *list, size_t index) {
    const Job *j = list->v[index];
    if (j->state != JOB_WAITING) return false;
    for (size_t i = 0; j->needs_all && i < index; i++)
        if (list->v[i]->state != JOB_DONE) return false;
    for (size_t i = 0; i < 2; i++)
        if (j->needs[i] && j->needs[i]->state != JOB_DONE) return false;
    return true;
}

static void start_ready(JobList *list, int parallel, int *running, int *failed, bool verbose) {
    for (size_t i = 0; i < list->n && *running < parallel; i++) {
        Job *j = list->v[i];
        if (*failed && !j->repeated && !(j->twin && j->twin->state == JOB_RUNNING)) continue;
        if (!is_ready(list, i)) continue;
        if (start(j, verbose)) {
            ++*running;
        } else {
            j->state = JOB_FAILED;
            *failed = CUCPU_ERROR;
        }
    }
}

static void reap(JobList *list, int *running, int *failed) {
    int wait_status;
    for (pid_t pid; (pid = waitpid(-1, &wait_status, WNOHANG)) > 0;) {
        for (size_t i = 0; i < list->n; i++) {
            Job *j = list->v[i];
            if (j->state != JOB_RUNNING || j->pid != pid) continue;
            finish(j, wait_status);
            --*running;
            if (!j->status && j->after && !j->after(j->made)) j->status = CUCPU_ERROR, j->state = JOB_FAILED;
            if (j->status && j->again && j->again(j)) j->state = JOB_WAITING, j->status = 0, j->repeated = true;
            if (j->status && !*failed) *failed = j->status;
            break;
        }
    }
}

static void stop_all(JobList *list, int sig) {
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i]->state == JOB_RUNNING) kill(list->v[i]->pid, sig);
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i]->state == JOB_RUNNING) waitpid(list->v[i]->pid, NULL, 0);
}

int jobs_run(JobList *list, int parallel, bool verbose) {
    int running = 0, failed = 0;
    for (;;) {
        start_ready(list, parallel, &running, &failed, verbose);
        for (size_t i = 0; i < list->n; i++) print_messages(list->v[i]);
        if (!running) break;
        siginfo_t info;
        int sig = sigwaitinfo(&waited, &info);
        if (sig > 0 && sig != SIGCHLD) {
            stop_all(list, SIGTERM);
            return -sig;
        }
        reap(list, &running, &failed);
    }
    for (size_t i = 0; i < list->n; i++) { /* halves whose twin never ran */
        Job *j = list->v[i];
        if (!is_over(j)) j->state = JOB_CANCELLED;
    }
    for (size_t i = 0; i < list->n; i++) print_messages(list->v[i]);
    return failed;
}
