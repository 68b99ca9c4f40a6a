/* format.h: the file of recorded activities: the runtime writes it (record.c), nvprof and nsys read it.
**
** A header page, then chunks of equal size, each filled by one thread: a chunk head, then records of 64 bytes.  Times
** are ticks of the processor's counter, which cost a fraction of a call of clock_gettime. */
#ifndef CUCPU_PROFILE_FORMAT_H
#define CUCPU_PROFILE_FORMAT_H
#include <stdint.h>

#define CUCPU_PROFILE_MAGIC 0x3130666f72707563u /* "cuprof01" */
enum {
    CUCPU_PROFILE_PAGE = 4096,
    CUCPU_PROFILE_CHUNK = 1 << 16,                 /* bytes */
    CUCPU_PROFILE_SLOTS = CUCPU_PROFILE_CHUNK / 64 /* the head is one of them */
};

typedef struct CucpuProfileHeader {
    uint64_t magic;
    uint64_t start, end;       /* ticks */
    uint64_t start_ns, end_ns; /* the same moments, of CLOCK_MONOTONIC */
    int64_t to_realtime;       /* CLOCK_REALTIME - CLOCK_MONOTONIC */
    uint32_t pid;
    uint32_t chunks; /* atomic */
    uint64_t lost;   /* atomic: records for which there was no room */
    uint64_t memory; /* of the device, bytes */
    uint32_t cores, capability;
    char device[128], command[2048];
} CucpuProfileHeader;

/* Nanoseconds since the start. */
static inline uint64_t cucpu_profile_ns(const CucpuProfileHeader *h, uint64_t ticks) {
    if (ticks <= h->start || h->end <= h->start) return 0;
    return (uint64_t)((double)(ticks - h->start) * ((double)(h->end_ns - h->start_ns) / (double)(h->end - h->start)));
}

typedef enum CucpuRecordKind {
    CUCPU_REC_NONE,
    CUCPU_REC_STRING,
    CUCPU_REC_KERNEL_INFO, /* what the launches of a kernel share */
    CUCPU_REC_API,
    CUCPU_REC_KERNEL,
    CUCPU_REC_SHARE, /* what one worker did of a kernel */
    CUCPU_REC_REFUSED,
    CUCPU_REC_COPY,
    CUCPU_REC_FILL,
    CUCPU_REC_HOST,  /* a host function of a stream */
    CUCPU_REC_RANGE, /* NVTX, begun and ended by one thread */
    CUCPU_REC_SPAN,  /* NVTX, rangeStart to rangeEnd */
    CUCPU_REC_MARK,
    CUCPU_REC_THREAD, /* its name; `correlation` is its number */
    CUCPU_REC_OWNER   /* what follows in the chunk is of another thread, `correlation` */
} CucpuRecordKind;

enum { CUCPU_API_RUNTIME, CUCPU_API_DRIVER }; /* `sort` of CUCPU_REC_API */
/* `sort` of CUCPU_REC_COPY: a cudaMemcpyKind, but cudaMemcpyDefault */
enum { CUCPU_NO_RESULT = 1 };            /* flag of CUCPU_REC_API: what it returned is not known */
enum { CUCPU_KERNEL_FAULT = 1 };         /* flag of CUCPU_REC_KERNEL */
enum { CUCPU_DEFAULT_STREAM = 7 };       /* as NVIDIA's profilers number it */
enum { CUCPU_FIRST_STREAM_NUMBER = 10 }; /* plus the runtime's number of a stream that the program makes */

typedef struct CucpuRecord {
    uint64_t start, end;
    uint32_t name; /* a string, or a kernel's information */
    uint32_t correlation;
    uint32_t stream; /* 0 = none */
    uint16_t kind;   /* CUCPU_REC_* */
    uint8_t sort, flags;
    union {
        struct {
            uint32_t grid[3];
            uint16_t block[3];
            uint16_t width;   /* lanes */
            uint32_t dynamic; /* shared memory, bytes */
            uint32_t frame;   /* bytes of a block */
            uint16_t workers;
            uint8_t layout, lanes; /* lanes: that have a thread, percent */
        } kernel;
        struct {
            uint64_t blocks;
            uint32_t worker;
        } share;
        struct {
            uint64_t bytes;   /* of a fill: all that is set */
            uint64_t value;   /* of a fill */
            uint8_t from, to; /* cudaMemoryType: 0 = pageable */
        } copy;
        struct {
            uint32_t result;
        } api;
        struct {
            uint32_t grid[3], block[3];
            uint32_t result;
        } refused;
        struct {
            uint32_t domain;   /* a string, 0 = the default one */
            uint32_t category; /* a string, or 0 */
            uint32_t color;    /* ARGB, 0 = none */
            uint32_t payload;  /* nvtxPayloadType_t of the number, 0 = none */
            uint64_t number;
        } range;
        struct {
            uint32_t file, title; /* strings */
            uint32_t line, shared, local, registers;
            float flops, bytes; /* of a thread, as estimated; < 0: not known */
        } info;                 /* `name` is the mangled name, `correlation` its own number */
        struct {
            uint32_t id, bytes;
            char text[24]; /* goes on in the records that follow */
        } string;
    };
} CucpuRecord;
_Static_assert(sizeof(CucpuRecord) == 64, "a record is a cache line");

/* Records that a string of so many bytes, without a final zero, takes. */
static inline uint32_t cucpu_string_slots(uint32_t bytes) { return bytes <= 24 ? 1 : 1 + (bytes - 24 + 63) / 64; }

typedef struct CucpuProfileChunk {
    uint32_t thread; /* of the system */
    uint32_t used;   /* atomic: records after the head that are complete */
    char pad[56];
    CucpuRecord records[CUCPU_PROFILE_SLOTS - 1];
} CucpuProfileChunk;
_Static_assert(sizeof(CucpuProfileChunk) == CUCPU_PROFILE_CHUNK, "chunks follow each other");
#endif
