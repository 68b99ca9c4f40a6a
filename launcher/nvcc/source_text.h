/* source_text.h: the text of a source file, read token by token and changed, for what nvcc accepts
 * and clang does not. */
#ifndef CUCPU_LAUNCHER_SOURCE_TEXT_H
#define CUCPU_LAUNCHER_SOURCE_TEXT_H
#include "launcher/text.h"
#include <stdbool.h>
#include <stddef.h>

typedef struct Text {
    char *s;
    size_t n;
} Text;

bool text_at(const Text *t, size_t i, const char *what);
bool is_name(char c);
/* 1 for one that opens, -1 for one that closes, 0 for others. */
int bracket(char c);
/* The position behind the comment, literal or word at i; i itself for other characters. */
size_t skip_token(const Text *t, size_t i);
/* The position behind spaces and comments. */
size_t skip_blank(const Text *t, size_t i);
/* The characters from i up to end are this word. */
bool is_word(const Text *t, size_t i, size_t end, const char *word);
/* Behind the bracket that closes the one at i; t->n if none does.  *calls is set if a parenthesis lies between them,
** else stays; may be NULL. */
size_t skip_group(const Text *t, size_t i, bool *calls);
void text_insert(Text *t, size_t i, const char *what);
/* The end of the logical line that holds i. */
size_t text_line_end(const Text *t, size_t i);
/* Where the statement begins that holds the character at `at`. */
size_t text_statement(const Text *t, size_t at);
/* Puts `with` in the place of the characters; there are as many lines as before. */
void text_replace(Text *t, size_t from, size_t to, const char *with);

/* *overlay = a file for clang's -ivfsoverlay in which the source and what it includes read as they must for clang, or
** NULL where nothing is to be changed (or the source cannot be read, which clang reports).  options: with -I.  rdc:
** device code of several files is linked.  spots: what was refused, or NULL.  False after an error. */
typedef struct Spots Spots;
typedef struct OverlayRequest {
    const char *source;
    const StrVec *options;
    bool dryrun, rdc, warn;
    Spots *spots;
} OverlayRequest;
bool source_overlay(const OverlayRequest *r, const char **overlay);

/* Each: true if something was changed. */
bool spaced_launch(Text *t);
bool joined_linkage(Text *t);
bool asm_statements(Text *t);
bool tag_structures(Text *t);
bool sized_shared(Text *t);
#endif
