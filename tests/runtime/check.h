/* check.h: cmocka with its includes, and the checks that these tests share. */
#ifndef CUCPU_TESTS_CHECK_H
#define CUCPU_TESTS_CHECK_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "fake.h"

#define OK(call) assert_int_equal((call), cudaSuccess)
/* The call fails with this error, cudaGetLastError tells it once more, then it is forgotten. */
#define FAILS(code, call)                                                                          \
    do {                                                                                           \
        assert_int_equal((call), (code));                                                          \
        assert_int_equal(cudaGetLastError(), (code));                                              \
        assert_int_equal(cudaGetLastError(), cudaSuccess);                                         \
    } while (0)
/* The call fails with this error and the error stays. */
#define STICKS(code, call)                                                                         \
    do {                                                                                           \
        assert_int_equal((call), (code));                                                          \
        assert_int_equal(cudaGetLastError(), (code));                                              \
        assert_int_equal(cudaGetLastError(), cudaSuccess);                                         \
    } while (0)
#endif
