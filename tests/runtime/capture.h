/* capture.h: what the library writes to stdout or stderr, as a string. */
#ifndef CUCPU_TESTS_CAPTURE_H
#define CUCPU_TESTS_CAPTURE_H
#include <stdio.h>
#include <unistd.h>

typedef struct Capture {
    FILE *file;
    int fd, saved;
    char text[65536];
} Capture;

static inline void capture_begin(Capture *c, FILE *stream) {
    fflush(stream);
    c->fd = fileno(stream);
    c->saved = dup(c->fd);
    c->file = tmpfile();
    dup2(fileno(c->file), c->fd);
}

/* Call fflush before, if the text may still be in the stream's buffer. */
static inline const char *capture_end(Capture *c) {
    dup2(c->saved, c->fd);
    close(c->saved);
    rewind(c->file);
    size_t n = fread(c->text, 1, sizeof c->text - 1, c->file);
    c->text[n] = 0;
    fclose(c->file);
    return c->text;
}
#endif
