/* packages.h: which package has what a compiler or linker did not find. */
#ifndef CUCPU_LAUNCHER_PACKAGES_H
#define CUCPU_LAUNCHER_PACKAGES_H

/* Appends a line for each package that would help to the file with the messages of a command that has failed. */
void packages_note(const char *messages);
#endif
