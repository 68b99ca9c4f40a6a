/* spaced_launch.h: kernel launches that are written with a space in `<<<` or `>>>`. */
#ifndef CUCPU_LAUNCHER_SPACED_LAUNCH_H
#define CUCPU_LAUNCHER_SPACED_LAUNCH_H
#include "launcher/text.h"
#include <stdbool.h>
#include <stddef.h>

/* Joins the tokens in text of n characters, in place; true if there was one to join. */
bool spaced_launch_join(char *text, size_t n);

/* *overlay = a file for clang's -ivfsoverlay in which the source and what it includes read joined,
*or NULL
** where they have nothing to join (or cannot be read, which clang reports); options: with -I. False
*after
** an error. */
bool spaced_launch_overlay(const char *source, const StrVec *options, bool dryrun,
                           const char **overlay);

#endif
