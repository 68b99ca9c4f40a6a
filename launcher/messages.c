/* messages.c: merges what the two halves of a source file print.
**
** Both halves parse the whole file, so that most errors and warnings come twice.  The text is
** cut into messages: each begins at a line "...: error: ..." (or warning, fatal error, remark),
** with the "In file included from" lines before it, and takes its notes and source excerpts
** with it.  Two messages are the same when their first lines are; colours do not count.
** The counts ("2 errors generated when compiling for sm_90.") would be wrong and are dropped. */
#define _GNU_SOURCE
#include "launcher/messages.h"
#include "launcher/text.h"
#include <string.h>

typedef struct Message {
    const char *text; /* all lines */
    const char *head; /* the line that identifies it, without colours */
} Message;

typedef struct MessageList {
    Message *v;
    size_t n;
} MessageList;

static const char *without_colours(const char *s, size_t n) {
    char *out = text_alloc(n + 1), *p = out;
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '\033') {
            while (i < n && s[i] != 'm' && s[i] != 'K') i++;
            continue;
        }
        *p++ = s[i];
    }
    return out;
}

static bool is_head(const char *line) {
    static const char *const kinds[] = {": error: ", ": warning: ", ": fatal error: ", ": remark: "};
    if (line[0] == ' ') return false; /* source excerpt */
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strstr(line, kinds[i])) return true;
    return false;
}

static bool is_count(const char *line) {
    return line[0] >= '0' && line[0] <= '9' && strstr(line, " generated") &&
           (strstr(line, "error") || strstr(line, "warning"));
}

static bool is_prelude(const char *line) { return text_starts(line, "In file included from "); }

static MessageList split_messages(const char *text, size_t size) {
    MessageList list = {0};
    size_t lines = 1;
    for (size_t i = 0; i < size; i++) lines += text[i] == '\n';
    list.v = text_alloc(lines * sizeof *list.v);
    const char *start = NULL, *head = NULL; /* of the message being read */
    const char *end = text + size;
    for (const char *line = text; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop ? stop + 1 : end;
        const char *plain = without_colours(line, (size_t)(stop - line));
        bool begins = is_head(plain) || is_prelude(plain);
        if ((begins && head) || is_count(plain)) { /* the one before is complete */
            if (start) list.v[list.n++] = (Message){text_copy(start, (size_t)(line - start)), head};
            start = head = NULL;
        }
        if (!is_count(plain)) {
            if (!start) start = line;
            if (!head && (is_head(plain) || !is_prelude(plain))) head = plain;
        }
        line = stop;
    }
    if (start) list.v[list.n++] = (Message){text_copy(start, (size_t)(end - start)), head};
    return list;
}

static MessageList read_messages(const char *file) {
    size_t size = 0;
    const char *text = file ? file_read(file, &size) : NULL;
    return text ? split_messages(text, size) : (MessageList){0};
}

void messages_print(const char *first, const char *second, FILE *out) {
    MessageList a = read_messages(first), b = read_messages(second);
    for (size_t i = 0; i < a.n; i++) fputs(a.v[i].text, out);
    for (size_t i = 0; i < b.n; i++) {
        bool seen = false;
        for (size_t k = 0; k < a.n && !seen; k++)
            seen = a.v[k].head && b.v[i].head && strcmp(a.v[k].head, b.v[i].head) == 0;
        if (!seen) fputs(b.v[i].text, out);
    }
}
