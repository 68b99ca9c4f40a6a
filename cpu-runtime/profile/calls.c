/* calls.c: calls of functions of the API.
**
** A function that calls others of the API is one call: the one that the program has made. */
#include "profile/record.h"
#include <stdatomic.h>
#include <string.h>

#define TLS _Thread_local __attribute__((tls_model("initial-exec")))
static TLS bool inside, known;
static TLS uint32_t result; /* of the function that this thread is in */
static _Atomic uint32_t last;

void rt_call_begin(RtCall *c, const char *name) {
    if (inside) return;
    inside = true;
    result = 0;
    known = false;
    c->name = name;
    c->correlation = ++last;
    RtDoing d = rt_doing();
    d.correlation = c->correlation;
    rt_set_doing(d);
    c->start = rt_profile_now();
}

void rt_call_result(uint32_t error) { result = error; }

void rt_call_returns(uint32_t error) {
    result = error;
    known = true;
}

static bool is_driver(const char *name) { return strncmp(name, "cuda", 4) != 0 && strncmp(name, "__cuda", 6) != 0; }

void rt_call_end(RtCall *c) {
    CucpuRecord r = {.start = c->start, .end = rt_profile_now(), .correlation = c->correlation, .kind = CUCPU_REC_API};
    r.name = rt_record_constant(c->name);
    r.sort = is_driver(c->name) ? CUCPU_API_DRIVER : CUCPU_API_RUNTIME;
    r.api.result = result;
    if (r.sort == CUCPU_API_DRIVER && !known) r.flags = CUCPU_NO_RESULT;
    rt_record(&r);
    RtDoing d = rt_doing();
    d.correlation = 0;
    rt_set_doing(d);
    inside = false;
}
