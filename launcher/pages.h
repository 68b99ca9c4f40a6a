/* pages.h: memory of the compiler in large pages. */
#ifndef CUCPU_LAUNCHER_PAGES_H
#define CUCPU_LAUNCHER_PAGES_H

/* For what this process allocates from now on. */
void pages_of_own(void);

/* For the program that this process becomes; a GLIBC_TUNABLES of the user's stays as it is. */
void pages_of_tool(void);

#endif
