/* session.c: runs a program, which leaves what its runtime has recorded in a directory of its own. */
#define _GNU_SOURCE
#include "launcher/profile/session.h"
#include "launcher/text.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int complain(const Session *s, const char *what, const char *why) {
    fprintf(stderr, "%s: error: %s: %s\n", s->command, what, why);
    return -1;
}

static bool make_directory(Session *s) {
    const char *base = getenv("TMPDIR");
    char *name = text_format("%s/cucpu-profile-XXXXXX", base && *base ? base : "/tmp");
    s->directory = mkdtemp(name);
    return s->directory || complain(s, name, strerror(errno)) == 0;
}

/* The write end of the pipe tells why the program could not be started, and closes when it was. */
static void start_program(const Session *s, char **argv, int fd) {
    setenv("CUCPU_RECORD", s->directory, 1);
    setenv("CUCPU_RECORD_START", s->from_start ? "1" : "0", 1);
    if (s->counts) setenv("CUCPU_PROFILE", s->counts, 1);
    execvp(argv[0], argv);
    int error = errno;
    if (write(fd, &error, sizeof error) != sizeof error) _exit(126);
    _exit(127);
}

static int wait_for(Session *s) {
    int status = 0;
    if (s->timeout) alarm((unsigned)s->timeout);
    while (waitpid(s->pid, &status, 0) < 0 && errno == EINTR) kill(s->pid, SIGTERM);
    alarm(0);
    s->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void on_alarm(int sig) { (void)sig; }

int session_run(Session *s, char **argv) {
    int ends[2], error = 0;
    if (!make_directory(s)) return -1;
    if (s->metrics) s->counts = text_format("%s/counts", s->directory);
    if (pipe2(ends, O_CLOEXEC)) return complain(s, "pipe", strerror(errno));
    fflush(NULL);
    s->pid = fork();
    if (s->pid < 0) return complain(s, "fork", strerror(errno));
    if (!s->pid) start_program(s, argv, ends[1]);
    close(ends[1]);
    ssize_t n = read(ends[0], &error, sizeof error);
    close(ends[0]);
    if (n > 0) {
        waitpid(s->pid, NULL, 0);
        rmdir(s->directory);
        return complain(s, text_format("cannot run '%s'", argv[0]), strerror(error));
    }
    if (s->started) s->started(s->pid);
    struct sigaction a = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &a, NULL); /* interrupts the wait */
    signal(SIGINT, SIG_IGN);      /* the program gets it, too, and what it did until then is shown */
    return wait_for(s);
}

size_t session_read(const Session *s, Process **processes) {
    size_t n = 0, capacity = 0;
    DIR *d = opendir(s->directory);
    *processes = NULL;
    for (struct dirent *e; d && (e = readdir(d));) {
        const char *file = text_format("%s/%s", s->directory, e->d_name);
        if (e->d_name[0] == '.') continue;
        if (n == capacity) {
            Process *more = text_alloc((capacity = 2 * capacity + 4) * sizeof *more);
            if (n) memcpy(more, *processes, n * sizeof *more);
            *processes = more;
        }
        bool wanted = s->children || atoi(e->d_name) == s->pid;
        if (wanted && records_read(*processes + n, file)) n++;
        unlink(file);
    }
    if (d) closedir(d);
    rmdir(s->directory);
    return n;
}

const char *session_expand(const char *file, int pid) {
    const char *out = "";
    for (const char *s = file; *s; s++) {
        const char *end = s[0] == '%' && s[1] == 'q' && s[2] == '{' ? strchr(s, '}') : NULL;
        char host[256] = "";
        if (end) {
            const char *value = getenv(text_copy(s + 3, (size_t)(end - s - 3)));
            out = text_format("%s%s", out, value ? value : "");
            s = end;
        } else if (s[0] == '%' && s[1] == 'p') {
            out = text_format("%s%d", out, pid), s++;
        } else if (s[0] == '%' && s[1] == 'h') {
            gethostname(host, sizeof host - 1);
            out = text_format("%s%s", out, host), s++;
        } else {
            out = text_format("%s%c", out, *s);
            if (s[0] == '%' && s[1] == '%') s++;
        }
    }
    return out;
}

const char *session_unwritable(const char *file) {
    const char *path = file_exists(file) ? file : path_directory(file);
    return access(path, W_OK) ? strerror(errno) : NULL;
}
