/* external_fields.h: what the structures of external.h and driver_external.h have in common. */
#ifndef CUCPU_EXTERNAL_FIELDS_H
#define CUCPU_EXTERNAL_FIELDS_H
#define CUCPU_EXTERNAL_HANDLE_FIELDS(object) \
    union {                                  \
        int fd;                              \
        struct {                             \
            void *handle;                    \
            const void *name;                \
        } win32;                             \
        const void *object;                  \
    } handle;
#define CUCPU_EXTERNAL_RESERVED \
    unsigned int flags;         \
    unsigned int reserved[16];
/* key: more fields of keyedMutex; left: reserved words. */
#define CUCPU_EXTERNAL_SEMAPHORE_FIELDS(key_, left) \
    struct {                                       \
        struct {                                   \
            unsigned long long value;              \
        } fence;                                   \
        union {                                    \
            void *fence;                           \
            unsigned long long reserved;           \
        } nvSciSync;                               \
        struct {                                   \
            unsigned long long key;                \
            key_                                   \
        } keyedMutex;                              \
        unsigned int reserved[left];               \
    } params;
#endif
