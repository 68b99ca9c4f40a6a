/* sqlite.h: SQLite, loaded when it is needed: only files of profiles need it. */
#ifndef CUCPU_LAUNCHER_SQLITE_H
#define CUCPU_LAUNCHER_SQLITE_H
#include <stdbool.h>
#include <stdint.h>

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;
enum {
    SQLITE_OK_ = 0,
    SQLITE_ROW_ = 100,
    SQLITE_DONE_ = 101,
    SQLITE_INTEGER_ = 1,
    SQLITE_FLOAT_ = 2,
    SQLITE_NULL_ = 5
};
enum { SQLITE_OPEN_READONLY_ = 1, SQLITE_OPEN_READWRITE_ = 2, SQLITE_OPEN_CREATE_ = 4 };

/* SQLITE_F(result, name, parameters): the functions that are used. */
#define SQLITE_FUNCTIONS                                                                                               \
    SQLITE_F(int, open_v2, (const char *file, sqlite3 **db, int flags, const char *vfs))                               \
    SQLITE_F(int, close, (sqlite3 * db))                                                                               \
    SQLITE_F(int, exec, (sqlite3 * db, const char *sql, int (*f)(void), void *data, char **error))                     \
    SQLITE_F(const char *, errmsg, (sqlite3 * db))                                                                     \
    SQLITE_F(int, prepare_v2, (sqlite3 * db, const char *sql, int bytes, sqlite3_stmt **out, const char **tail))       \
    SQLITE_F(int, bind_int64, (sqlite3_stmt * s, int at, int64_t value))                                               \
    SQLITE_F(int, bind_double, (sqlite3_stmt * s, int at, double value))                                               \
    SQLITE_F(int, bind_text, (sqlite3_stmt * s, int at, const char *text, int bytes, void (*drop)(void *)))            \
    SQLITE_F(int, bind_null, (sqlite3_stmt * s, int at))                                                               \
    SQLITE_F(int, step, (sqlite3_stmt * s))                                                                            \
    SQLITE_F(int, reset, (sqlite3_stmt * s))                                                                           \
    SQLITE_F(int, finalize, (sqlite3_stmt * s))                                                                        \
    SQLITE_F(int, column_count, (sqlite3_stmt * s))                                                                    \
    SQLITE_F(const char *, column_name, (sqlite3_stmt * s, int at))                                                    \
    SQLITE_F(int, column_type, (sqlite3_stmt * s, int at))                                                             \
    SQLITE_F(const unsigned char *, column_text, (sqlite3_stmt * s, int at))                                           \
    SQLITE_F(double, column_double, (sqlite3_stmt * s, int at))

typedef struct Sqlite {
#define SQLITE_F(result, name, parameters) result(*name) parameters;
    SQLITE_FUNCTIONS
#undef SQLITE_F
} Sqlite;
const Sqlite *sqlite_load(void); /* NULL: it is not installed */
#endif
