/* Unit tests in C with the assertions and the output of ThrowTheSwitch's Unity.
 *
 * Written for pytest-embedbench, which puts it where PlatformIO looks for Unity on
 * machines that cannot fetch the real one. What a test prints is the same.
 */
#ifndef UNITY_H
#define UNITY_H

#ifdef UNITY_INCLUDE_CONFIG_H
#include "unity_config.h"
#endif

/* Also for tests, which have them from the real one. */
#ifndef UNITY_EXCLUDE_LIMITS_H
#include <limits.h>
#endif
#ifndef UNITY_EXCLUDE_MATH_H
#include <math.h>
#endif
#include <stddef.h>
#include <stdint.h>
#ifndef UNITY_EXCLUDE_SETJMP_H
#include <setjmp.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define UNITY_VERSION_MAJOR 2
#define UNITY_VERSION_MINOR 6
#define UNITY_VERSION_BUILD 1

#if !defined(UNITY_SUPPORT_64) && (UINTPTR_MAX > 0xFFFFFFFFu)
#define UNITY_SUPPORT_64
#endif
#ifdef UNITY_SUPPORT_64
typedef int64_t UNITY_INT;
typedef uint64_t UNITY_UINT;
#else
typedef int32_t UNITY_INT;
typedef uint32_t UNITY_UINT;
#endif
typedef float UNITY_FLOAT;
#ifdef UNITY_INCLUDE_DOUBLE
typedef double UNITY_DOUBLE;
#else
typedef float UNITY_DOUBLE;
#endif
typedef UNITY_INT UNITY_LINE_TYPE;
typedef unsigned int UNITY_COUNTER_TYPE;
typedef void (*UnityTestFunction)(void);

/* How a number is read and shown: its bytes in the low half, and one of these. */
#define UNITY_KIND_INT 0x10
#define UNITY_KIND_UINT 0x20
#define UNITY_KIND_HEX 0x30
#define UNITY_KIND_CHAR 0x40
#define UNITY_INT_STYLE(bytes) (UNITY_KIND_INT | (int)(bytes))
#define UNITY_UINT_STYLE(bytes) (UNITY_KIND_UINT | (int)(bytes))
#define UNITY_HEX_STYLE(bytes) (UNITY_KIND_HEX | (int)(bytes))
#define UNITY_CHAR_STYLE (UNITY_KIND_CHAR | 1)

typedef enum {
    UNITY_EQUAL = 1,
    UNITY_GREATER = 2,
    UNITY_LESS = 4,
    UNITY_NOT_EQUAL = UNITY_GREATER | UNITY_LESS,
    UNITY_GREATER_OR_EQUAL = UNITY_GREATER | UNITY_EQUAL,
    UNITY_LESS_OR_EQUAL = UNITY_LESS | UNITY_EQUAL
} UNITY_COMPARISON_T;

typedef enum {
    UNITY_FLOAT_IS_INF,
    UNITY_FLOAT_IS_NEG_INF,
    UNITY_FLOAT_IS_NAN,
    UNITY_FLOAT_IS_DETERMINATE
} UNITY_FLOAT_TRAIT_T;

struct UNITY_STORAGE_T {
    const char *TestFile;
    const char *CurrentTestName;
    UNITY_LINE_TYPE CurrentTestLineNumber;
    UNITY_COUNTER_TYPE NumberOfTests;
    UNITY_COUNTER_TYPE TestFailures;
    UNITY_COUNTER_TYPE TestIgnores;
    UNITY_COUNTER_TYPE CurrentTestFailed;
    UNITY_COUNTER_TYPE CurrentTestIgnored;
#ifndef UNITY_EXCLUDE_SETJMP_H
    jmp_buf AbortFrame;
#endif
};
extern struct UNITY_STORAGE_T Unity;

/* A test's own. */
void setUp(void);
void tearDown(void);

void UnityBegin(const char *file);
int UnityEnd(void);
void UnityConcludeTest(void);
void UnityDefaultTestRun(UnityTestFunction test, const char *name, int line);
#define UnitySetTestFile(file) (Unity.TestFile = (file))

void UnityPrint(const char *text);
void UnityPrintNumber(UNITY_INT number);
void UnityPrintNumberUnsigned(UNITY_UINT number);
void UnityPrintFloat(UNITY_DOUBLE number);

void UnityFail(const char *message, UNITY_LINE_TYPE line);
void UnityIgnore(const char *message, UNITY_LINE_TYPE line);
void UnityMessage(const char *message, UNITY_LINE_TYPE line);
void UnityPass(void);
void UnityCompare(UNITY_INT expected, UNITY_INT actual, UNITY_COMPARISON_T allowed,
                  const char *message, UNITY_LINE_TYPE line, int style);
void UnityWithin(UNITY_UINT delta, UNITY_INT expected, UNITY_INT actual,
                 const char *message, UNITY_LINE_TYPE line, int style);
void UnityArrays(UNITY_UINT delta, const void *expected, const void *actual,
                 uint32_t count, const char *message, UNITY_LINE_TYPE line, int style);
void UnityEach(UNITY_INT expected, const void *actual, uint32_t count,
               const char *message, UNITY_LINE_TYPE line, int style);
void UnityBits(UNITY_INT mask, UNITY_INT expected, UNITY_INT actual,
               const char *message, UNITY_LINE_TYPE line);
void UnityStrings(const char *expected, const char *actual, size_t limit,
                  const char *message, UNITY_LINE_TYPE line);
void UnityStringArrays(const char **expected, const char **actual, uint32_t count,
                       const char *message, UNITY_LINE_TYPE line);
void UnityMemory(const void *expected, const void *actual, uint32_t bytes,
                 uint32_t count, const char *message, UNITY_LINE_TYPE line);
void UnityFloats(UNITY_DOUBLE delta, UNITY_DOUBLE expected, UNITY_DOUBLE actual,
                 const char *message, UNITY_LINE_TYPE line);
void UnityFloatArrays(const void *expected, const void *actual, uint32_t count,
                      int bytes, const char *message, UNITY_LINE_TYPE line);
void UnityFloatTrait(UNITY_DOUBLE actual, UNITY_FLOAT_TRAIT_T trait, int wanted,
                     const char *message, UNITY_LINE_TYPE line);
void UnityCompareFloats(UNITY_DOUBLE threshold, UNITY_DOUBLE actual,
                        UNITY_COMPARISON_T allowed, const char *message,
                        UNITY_LINE_TYPE line);

#ifdef __cplusplus
}
#endif

#ifdef UNITY_EXCLUDE_SETJMP_H
#define TEST_PROTECT() 1
#define TEST_ABORT() return
#else
#define TEST_PROTECT() (setjmp(Unity.AbortFrame) == 0)
#define TEST_ABORT() longjmp(Unity.AbortFrame, 1)
#endif

#define UNITY_BEGIN() UnityBegin(__FILE__)
#define UNITY_END() UnityEnd()
#define UNITY_RUN_AT(test, line, ...) UnityDefaultTestRun(test, #test, line)
#ifndef RUN_TEST
#define RUN_TEST(...) UNITY_RUN_AT(__VA_ARGS__, __LINE__, 0)
#endif
#define TEST_LINE_NUM (Unity.CurrentTestLineNumber)
#define TEST_IS_IGNORED (Unity.CurrentTestIgnored)
#ifndef TEST_CASE
#define TEST_CASE(...)
#define TEST_RANGE(...)
#endif

#define UNITY_AT ((UNITY_LINE_TYPE)__LINE__)
#define UNITY_CHECK(condition, message) \
    do { \
        if (!(condition)) { \
            UnityFail((message), UNITY_AT); \
        } \
    } while (0)
#define UNITY_COMPARE(type, style, allowed, expected, actual, message) \
    UnityCompare((UNITY_INT)(type)(expected), (UNITY_INT)(type)(actual), (allowed), \
                 (message), UNITY_AT, (style))
#define UNITY_WITHIN(type, style, delta, expected, actual, message) \
    UnityWithin((UNITY_UINT)(delta), (UNITY_INT)(type)(expected), \
                (UNITY_INT)(type)(actual), (message), UNITY_AT, (style))
#define UNITY_ARRAYS(style, delta, unused, expected, actual, count, message) \
    UnityArrays((UNITY_UINT)(delta), (const void *)(expected), \
                (const void *)(actual), (uint32_t)(count), (message), UNITY_AT, (style))
#define UNITY_EACH(type, style, expected, actual, count, message) \
    UnityEach((UNITY_INT)(type)(expected), (const void *)(actual), \
              (uint32_t)(count), (message), UNITY_AT, (style))

#define TEST_FAIL() UnityFail(NULL, UNITY_AT)
#define TEST_FAIL_MESSAGE(message) UnityFail((message), UNITY_AT)
#define TEST_IGNORE() UnityIgnore(NULL, UNITY_AT)
#define TEST_IGNORE_MESSAGE(message) UnityIgnore((message), UNITY_AT)
#define TEST_ONLY()
#define TEST_PASS() UnityPass()
#define TEST_PASS_MESSAGE(message) \
    do { \
        UnityMessage((message), UNITY_AT); \
        UnityPass(); \
    } while (0)
#define TEST_MESSAGE(message) UnityMessage((message), UNITY_AT)

#include "unity_numbers.h"
#include "unity_others.h"

#endif
