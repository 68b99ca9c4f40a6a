// What the probes share: topics that run in child processes of their own, so that no crash and no sticky error reaches the next one.
#ifndef PROBE_H
#define PROBE_H
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>
#define VAL(expr) printf("  %s = %lld\n", #expr, (long long)(expr))
#define CALL(...) tell(#__VA_ARGS__, (__VA_ARGS__))
#define LAUNCH(...) do { __VA_ARGS__; tell(#__VA_ARGS__, cudaPeekAtLastError()); } while (0)
#define RAW(...) printf("%s: %s\n", #__VA_ARGS__, cudaGetErrorName(__VA_ARGS__)) // leaves the last error alone
/* A call that may crash inside the library. */
#define RISKY(...) \
    do { \
        if (!sigsetjmp(risk, 1)) at_risk = 1, tell(#__VA_ARGS__, (__VA_ARGS__)); \
        else printf("%s: crashed\n", #__VA_ARGS__); \
        at_risk = 0; \
    } while (0)

static sigjmp_buf risk;
static volatile int at_risk;
[[maybe_unused]] static void on_crash(int sig) {
    if (at_risk) siglongjmp(risk, 1);
    signal(sig, SIG_DFL);
    raise(sig);
}

#ifdef PROBE_RUNTIME
[[maybe_unused]] static void tell(const char *text, cudaError_t e) {
    cudaError_t last = cudaGetLastError();
    printf("%s: %s", text, cudaGetErrorName(e));
    if (last != e) printf(" [last %s]", cudaGetErrorName(last));
    printf("\n");
}
#else
static void tell(const char *text, CUresult e) {
    const char *name = nullptr;
    cuGetErrorName(e, &name);
    printf("%s: %d %s\n", text, (int)e, name ? name : "?");
}
#endif

struct Topic { const char *name; void (*run)(); };

/* Runs each topic in a child (this program again, with the topic's name), or the one that is named. */
static int run_topics(const Topic *topics, int n, int argc, char **argv) {
    setvbuf(stdout, nullptr, _IONBF, 0);
    for (int i = 0; i < n; i++) {
        if (argc > 1) {
            if (strcmp(argv[1], topics[i].name)) continue;
            alarm(12); // no child hangs
            signal(SIGSEGV, on_crash);
            signal(SIGBUS, on_crash);
            topics[i].run();
            return 0;
        }
        printf("== %s\n", topics[i].name);
        pid_t pid = fork();
        if (!pid) {
            execl("/proc/self/exe", argv[0], topics[i].name, (char *)nullptr);
            _exit(127);
        }
        int status = 0;
        waitpid(pid, &status, 0);
        if (WIFSIGNALED(status)) printf("== %s: crashed (signal %d)\n", topics[i].name, WTERMSIG(status));
        else if (WEXITSTATUS(status)) printf("== %s: ended with %d\n", topics[i].name, WEXITSTATUS(status));
        else printf("== %s: ok\n", topics[i].name);
    }
    return 0;
}
#endif
