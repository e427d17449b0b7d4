/* What the assertions of unity.h do, and how a test reports. */
#include "unity.h"

#include <math.h>
#include <string.h>

#ifndef UNITY_OUTPUT_CHAR
#include <stdio.h>
#define UNITY_OUTPUT_CHAR(c) (void)putchar(c)
#endif
#ifndef UNITY_OUTPUT_FLUSH
#define UNITY_OUTPUT_FLUSH() (void)0
#endif
#ifndef UNITY_OUTPUT_START
#define UNITY_OUTPUT_START() (void)0
#endif
#ifndef UNITY_OUTPUT_COMPLETE
#define UNITY_OUTPUT_COMPLETE() (void)0
#endif
#ifndef UNITY_PRINT_EOL
#define UNITY_PRINT_EOL() UNITY_OUTPUT_CHAR('\n')
#endif

#define KIND(style) ((style) & ~0xF)
#define BYTES(style) ((style) & 0xF)

struct UNITY_STORAGE_T Unity;

__attribute__((weak)) void setUp(void)
{
}

__attribute__((weak)) void tearDown(void)
{
}

static void put(char c)
{
    /* An unprintable character must not end or colour the line. */
    static const char digits[] = "0123456789ABCDEF";

    if ((unsigned char)c >= ' ' && c != 127) {
        UNITY_OUTPUT_CHAR(c);
    } else if (c == '\n' || c == '\r') {
        UNITY_OUTPUT_CHAR('\\');
        UNITY_OUTPUT_CHAR(c == '\n' ? 'n' : 'r');
    } else {
        UNITY_OUTPUT_CHAR('\\');
        UNITY_OUTPUT_CHAR('x');
        UNITY_OUTPUT_CHAR(digits[((unsigned char)c >> 4) & 0xF]);
        UNITY_OUTPUT_CHAR(digits[c & 0xF]);
    }
}

void UnityPrint(const char *text)
{
    while (text != NULL && *text != 0) {
        put(*text++);
    }
}

void UnityPrintNumberUnsigned(UNITY_UINT number)
{
    if (number >= 10) {
        UnityPrintNumberUnsigned(number / 10);
    }
    UNITY_OUTPUT_CHAR((char)('0' + number % 10));
}

void UnityPrintNumber(UNITY_INT number)
{
    if (number < 0) {
        UNITY_OUTPUT_CHAR('-');
        UnityPrintNumberUnsigned(0 - (UNITY_UINT)number);
    } else {
        UnityPrintNumberUnsigned((UNITY_UINT)number);
    }
}

static void print_hex(UNITY_UINT number, int bytes)
{
    UnityPrint("0x");
    for (int shift = bytes * 8 - 4; shift >= 0; shift -= 4) {
        UNITY_OUTPUT_CHAR("0123456789ABCDEF"[(number >> shift) & 0xF]);
    }
}

/* Six significant digits, as printf's %g has them, and no printf. */
void UnityPrintFloat(UNITY_DOUBLE number)
{
    int exponent = 0;
    uint32_t digits;
    int shown = 6;

    if (isnan(number)) {
        UnityPrint("nan");
        return;
    }
    if (number < 0) {
        UNITY_OUTPUT_CHAR('-');
        number = -number;
    }
    if (isinf(number)) {
        UnityPrint("inf");
        return;
    }
    if (number == 0) {
        UNITY_OUTPUT_CHAR('0');
        return;
    }
    while (number >= (UNITY_DOUBLE)10) {
        number /= 10;
        exponent++;
    }
    while (number < (UNITY_DOUBLE)1) {
        number *= 10;
        exponent--;
    }
    digits = (uint32_t)(number * (UNITY_DOUBLE)100000 + (UNITY_DOUBLE)0.5);
    if (digits >= 1000000UL) {
        digits /= 10;
        exponent++;
    }
    while (shown > 1 && digits % 10 == 0) {
        digits /= 10;
        shown--;
    }
    {
        char text[7];
        int point = exponent >= -5 && exponent < 9 ? exponent : 0;

        for (int i = shown - 1; i >= 0; i--, digits /= 10) {
            text[i] = (char)('0' + digits % 10);
        }
        for (int i = point < 0 ? point : 0; i < shown || i <= point; i++) {
            UNITY_OUTPUT_CHAR(i < 0 || i >= shown ? '0' : text[i]);
            if (i == point && i + 1 < shown) {
                UNITY_OUTPUT_CHAR('.');
            }
        }
        if (point != exponent) {
            UNITY_OUTPUT_CHAR('e');
            UnityPrintNumber(exponent);
        }
    }
}

static void print_number(UNITY_INT number, int style)
{
    switch (KIND(style)) {
    case UNITY_KIND_HEX:
        print_hex((UNITY_UINT)number, BYTES(style));
        break;
    case UNITY_KIND_UINT:
        UnityPrintNumberUnsigned((UNITY_UINT)number);
        break;
    case UNITY_KIND_CHAR:
        UNITY_OUTPUT_CHAR('\'');
        put((char)number);
        UNITY_OUTPUT_CHAR('\'');
        break;
    default:
        UnityPrintNumber(number);
    }
}

static void result_begin(UNITY_LINE_TYPE line, const char *result)
{
    UnityPrint(Unity.TestFile);
    UNITY_OUTPUT_CHAR(':');
    UnityPrintNumber(line);
    UNITY_OUTPUT_CHAR(':');
    UnityPrint(Unity.CurrentTestName);
    UNITY_OUTPUT_CHAR(':');
    UnityPrint(result);
}

/* Whether a test goes on to be judged: the first failure is what is told of it. */
static int is_over(void)
{
    return Unity.CurrentTestFailed || Unity.CurrentTestIgnored;
}

static void failure_begin(UNITY_LINE_TYPE line)
{
    if (is_over()) {
        TEST_ABORT();
    }
    result_begin(line, "FAIL:");
}

static void failure_end(const char *message)
{
    if (message != NULL) {
        UnityPrint(". ");
        UnityPrint(message);
    }
    Unity.CurrentTestFailed = 1;
    UNITY_OUTPUT_FLUSH();
    TEST_ABORT();
}

void UnityFail(const char *message, UNITY_LINE_TYPE line)
{
    if (is_over()) {
        TEST_ABORT();
    }
    result_begin(line, "FAIL");
    if (message != NULL) {
        UNITY_OUTPUT_CHAR(':');
        if (message[0] != ' ') {
            UNITY_OUTPUT_CHAR(' ');
        }
        UnityPrint(message);
    }
    failure_end(NULL);
}

void UnityIgnore(const char *message, UNITY_LINE_TYPE line)
{
    if (is_over()) {
        TEST_ABORT();
    }
    result_begin(line, "IGNORE");
    if (message != NULL) {
        UnityPrint(": ");
        UnityPrint(message);
    }
    Unity.CurrentTestIgnored = 1;
    TEST_ABORT();
}

void UnityMessage(const char *message, UNITY_LINE_TYPE line)
{
    result_begin(line, "INFO");
    if (message != NULL) {
        UnityPrint(": ");
        UnityPrint(message);
    }
    UNITY_PRINT_EOL();
}

void UnityPass(void)
{
    TEST_ABORT();
}

static UNITY_COMPARISON_T compared(UNITY_INT expected, UNITY_INT actual, int style)
{
    if (expected == actual) {
        return UNITY_EQUAL;
    }
    if (KIND(style) == UNITY_KIND_INT || KIND(style) == UNITY_KIND_CHAR) {
        return actual > expected ? UNITY_GREATER : UNITY_LESS;
    }
    return (UNITY_UINT)actual > (UNITY_UINT)expected ? UNITY_GREATER : UNITY_LESS;
}

static int is_too_wide(int style, UNITY_LINE_TYPE line)
{
    if (BYTES(style) <= (int)sizeof(UNITY_INT)) {
        return 0;
    }
    UnityFail(" Unity 64-bit Support Disabled", line);
    return 1;
}

static void say_element(uint32_t index)
{
    UnityPrint(" Element ");
    UnityPrintNumberUnsigned(index);
}

static void say_numbers(UNITY_INT expected, UNITY_INT actual, int style)
{
    UnityPrint(" Expected ");
    print_number(expected, style);
    UnityPrint(" Was ");
    print_number(actual, style);
}

void UnityCompare(UNITY_INT expected, UNITY_INT actual, UNITY_COMPARISON_T allowed,
                  const char *message, UNITY_LINE_TYPE line, int style)
{
    if (is_too_wide(style, line) || (compared(expected, actual, style) & allowed)) {
        return;
    }
    failure_begin(line);
    if (allowed == UNITY_EQUAL) {
        say_numbers(expected, actual, style);
    } else {
        UnityPrint(" Expected ");
        print_number(actual, style);
        UnityPrint(" to be ");
        UnityPrint(allowed == UNITY_NOT_EQUAL ? "not equal to "
                   : allowed & UNITY_GREATER  ? "greater than "
                                              : "less than ");
        if (allowed != UNITY_NOT_EQUAL && (allowed & UNITY_EQUAL)) {
            UnityPrint("or equal to ");
        }
        print_number(expected, style);
    }
    failure_end(message);
}

static int is_within(UNITY_UINT delta, UNITY_INT expected, UNITY_INT actual, int style)
{
    UNITY_UINT low = (UNITY_UINT)expected;
    UNITY_UINT high = (UNITY_UINT)actual;

    if (compared(expected, actual, style) == UNITY_LESS) {
        low = (UNITY_UINT)actual;
        high = (UNITY_UINT)expected;
    }
    return high - low <= delta;
}

void UnityWithin(UNITY_UINT delta, UNITY_INT expected, UNITY_INT actual,
                 const char *message, UNITY_LINE_TYPE line, int style)
{
    if (is_too_wide(style, line) || is_within(delta, expected, actual, style)) {
        return;
    }
    failure_begin(line);
    UnityPrint(" Values Not Within Delta ");
    print_number((UNITY_INT)delta, style);
    say_numbers(expected, actual, style);
    failure_end(message);
}

/* Read one number, whose bytes and sign are the style's. */
static UNITY_INT element(const void *array, uint32_t index, int style)
{
    const char *at = (const char *)array + (size_t)index * (size_t)BYTES(style);
    int is_signed = KIND(style) == UNITY_KIND_INT;
    int8_t byte;
    int16_t half;
    int32_t word;
    UNITY_INT whole;

    if (KIND(style) == UNITY_KIND_CHAR) {
        return *at;
    }
    switch (BYTES(style)) {
    case 1:
        memcpy(&byte, at, 1);
        return is_signed ? byte : (UNITY_INT)(uint8_t)byte;
    case 2:
        memcpy(&half, at, 2);
        return is_signed ? half : (UNITY_INT)(uint16_t)half;
    case 4:
        memcpy(&word, at, 4);
        return is_signed ? word : (UNITY_INT)(uint32_t)word;
    default:
        memcpy(&whole, at, sizeof whole);
        return whole;
    }
}

static int are_arrays(const void *expected, const void *actual, const char *message,
                      UNITY_LINE_TYPE line)
{
    if (expected == actual) {
        return 0; /* both the same, or NULL both */
    }
    if (expected != NULL && actual != NULL) {
        return 1;
    }
    failure_begin(line);
    UnityPrint(expected == NULL ? " Expected pointer to be NULL"
                                : " Actual pointer was NULL");
    failure_end(message);
    return 0;
}

void UnityArrays(UNITY_UINT delta, const void *expected, const void *actual,
                 uint32_t count, const char *message, UNITY_LINE_TYPE line, int style)
{
    if (count == 0) {
        UnityFail(" You Asked Me To Compare Nothing, Which Was Pointless.", line);
    }
    if (is_too_wide(style, line) || !are_arrays(expected, actual, message, line)) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        UNITY_INT wanted = element(expected, i, style);
        UNITY_INT found = element(actual, i, style);

        if (!is_within(delta, wanted, found, style)) {
            failure_begin(line);
            say_element(i);
            say_numbers(wanted, found, style);
            failure_end(message);
        }
    }
}

void UnityEach(UNITY_INT expected, const void *actual, uint32_t count,
               const char *message, UNITY_LINE_TYPE line, int style)
{
    if (is_too_wide(style, line) || !are_arrays(&expected, actual, message, line)) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        UNITY_INT found = element(actual, i, style);

        if (expected != found) {
            failure_begin(line);
            say_element(i);
            say_numbers(expected, found, style);
            failure_end(message);
        }
    }
}

static void print_bits(UNITY_UINT mask, UNITY_UINT number)
{
    int bits = sizeof(UNITY_INT) > 4 && mask > 0xFFFFFFFFu ? 64 : 32;

    while (bits-- > 0) {
        UNITY_UINT bit = (UNITY_UINT)1 << bits;

        UNITY_OUTPUT_CHAR(!(mask & bit) ? 'X' : number & bit ? '1' : '0');
    }
}

void UnityBits(UNITY_INT mask, UNITY_INT expected, UNITY_INT actual,
               const char *message, UNITY_LINE_TYPE line)
{
    if ((mask & expected) == (mask & actual)) {
        return;
    }
    failure_begin(line);
    UnityPrint(" Expected ");
    print_bits((UNITY_UINT)mask, (UNITY_UINT)expected);
    UnityPrint(" Was ");
    print_bits((UNITY_UINT)mask, (UNITY_UINT)actual);
    failure_end(message);
}

static int are_same(const char *expected, const char *actual, size_t limit)
{
    if (expected == NULL || actual == NULL) {
        return expected == actual;
    }
    return strncmp(expected, actual, limit) == 0;
}

static void say_string(const char *words, const char *text, size_t limit)
{
    UnityPrint(words);
    if (text == NULL) {
        UnityPrint("NULL");
        return;
    }
    UNITY_OUTPUT_CHAR('\'');
    for (size_t i = 0; i < limit && text[i] != 0; i++) {
        put(text[i]);
    }
    UNITY_OUTPUT_CHAR('\'');
}

void UnityStrings(const char *expected, const char *actual, size_t limit,
                  const char *message, UNITY_LINE_TYPE line)
{
    if (are_same(expected, actual, limit)) {
        return;
    }
    failure_begin(line);
    say_string(" Expected ", expected, limit);
    say_string(" Was ", actual, limit);
    failure_end(message);
}

void UnityStringArrays(const char **expected, const char **actual, uint32_t count,
                       const char *message, UNITY_LINE_TYPE line)
{
    if (!are_arrays(expected, actual, message, line)) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!are_same(expected[i], actual[i], ((size_t)-1 / 2))) {
            failure_begin(line);
            say_element(i);
            say_string(" Expected ", expected[i], ((size_t)-1 / 2));
            say_string(" Was ", actual[i], ((size_t)-1 / 2));
            failure_end(message);
        }
    }
}

void UnityMemory(const void *expected, const void *actual, uint32_t bytes,
                 uint32_t count, const char *message, UNITY_LINE_TYPE line)
{
    const uint8_t *wanted = (const uint8_t *)expected;
    const uint8_t *found = (const uint8_t *)actual;

    if (bytes == 0 || count == 0) {
        UnityFail(" You Asked Me To Compare Nothing, Which Was Pointless.", line);
    }
    if (!are_arrays(expected, actual, message, line)) {
        return;
    }
    for (uint32_t i = 0; i < bytes * count; i++) {
        if (wanted[i] != found[i]) {
            failure_begin(line);
            UnityPrint(" Memory Mismatch.");
            if (count > 1) {
                say_element(i / bytes);
            }
            UnityPrint(" Byte ");
            UnityPrintNumberUnsigned(i % bytes);
            say_numbers(wanted[i], found[i], UNITY_HEX_STYLE(1));
            failure_end(message);
        }
    }
}

static int are_near(UNITY_DOUBLE delta, UNITY_DOUBLE expected, UNITY_DOUBLE actual)
{
    UNITY_DOUBLE gap = actual - expected;

    if (isnan(expected) || isnan(actual)) {
        return isnan(expected) && isnan(actual);
    }
    if (isinf(expected) || isinf(actual)) {
        return expected == actual;
    }
    return (gap < 0 ? -gap : gap) <= (delta < 0 ? -delta : delta);
}

static void say_floats(UNITY_DOUBLE expected, UNITY_DOUBLE actual)
{
    UnityPrint(" Expected ");
    UnityPrintFloat(expected);
    UnityPrint(" Was ");
    UnityPrintFloat(actual);
}

void UnityFloats(UNITY_DOUBLE delta, UNITY_DOUBLE expected, UNITY_DOUBLE actual,
                 const char *message, UNITY_LINE_TYPE line)
{
    if (are_near(delta, expected, actual)) {
        return;
    }
    failure_begin(line);
    say_floats(expected, actual);
    failure_end(message);
}

void UnityFloatArrays(const void *expected, const void *actual, uint32_t count,
                      int bytes, const char *message, UNITY_LINE_TYPE line)
{
    if (!are_arrays(expected, actual, message, line)) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        int is_double = bytes == (int)sizeof(UNITY_DOUBLE);
        UNITY_DOUBLE wanted = is_double ? ((const UNITY_DOUBLE *)expected)[i]
                                        : ((const UNITY_FLOAT *)expected)[i];
        UNITY_DOUBLE found = is_double ? ((const UNITY_DOUBLE *)actual)[i]
                                       : ((const UNITY_FLOAT *)actual)[i];
        UNITY_DOUBLE near = bytes == (int)sizeof(UNITY_FLOAT) ? (UNITY_DOUBLE)1e-5
                                                              : (UNITY_DOUBLE)1e-12;

        if (!are_near(near * wanted, wanted, found)) {
            failure_begin(line);
            say_element(i);
            say_floats(wanted, found);
            failure_end(message);
        }
    }
}

void UnityCompareFloats(UNITY_DOUBLE threshold, UNITY_DOUBLE actual,
                        UNITY_COMPARISON_T allowed, const char *message,
                        UNITY_LINE_TYPE line)
{
    if (((allowed & UNITY_GREATER) && actual > threshold)
        || ((allowed & UNITY_LESS) && actual < threshold)) {
        return;
    }
    failure_begin(line);
    UnityPrint(" Expected ");
    UnityPrintFloat(actual);
    UnityPrint(allowed & UNITY_GREATER ? " to be greater than " : " to be less than ");
    UnityPrintFloat(threshold);
    failure_end(message);
}

void UnityFloatTrait(UNITY_DOUBLE actual, UNITY_FLOAT_TRAIT_T trait, int wanted,
                     const char *message, UNITY_LINE_TYPE line)
{
    static const char *const names[] = {"Infinity", "Negative Infinity", "NaN",
                                        "Determinate"};
    int holds = trait == UNITY_FLOAT_IS_INF       ? isinf(actual) && actual > 0
                : trait == UNITY_FLOAT_IS_NEG_INF ? isinf(actual) && actual < 0
                : trait == UNITY_FLOAT_IS_NAN     ? isnan(actual) != 0
                                              : !isinf(actual) && !isnan(actual);

    if (holds == wanted) {
        return;
    }
    failure_begin(line);
    UnityPrint(wanted ? " Expected " : " Expected Not ");
    UnityPrint(names[trait]);
    UnityPrint(" Was ");
    UnityPrintFloat(actual);
    failure_end(message);
}

void UnityConcludeTest(void)
{
    if (Unity.CurrentTestIgnored) {
        Unity.TestIgnores++;
    } else if (Unity.CurrentTestFailed) {
        Unity.TestFailures++;
    } else {
        result_begin(Unity.CurrentTestLineNumber, "PASS");
    }
    Unity.CurrentTestFailed = 0;
    Unity.CurrentTestIgnored = 0;
    UNITY_PRINT_EOL();
    UNITY_OUTPUT_FLUSH();
}

void UnityDefaultTestRun(UnityTestFunction test, const char *name, int line)
{
    Unity.CurrentTestName = name;
    Unity.CurrentTestLineNumber = line;
    Unity.NumberOfTests++;
    if (TEST_PROTECT()) {
        setUp();
        test();
    }
    if (TEST_PROTECT()) {
        tearDown();
    }
    UnityConcludeTest();
}

void UnityBegin(const char *file)
{
    Unity.TestFile = file;
    Unity.CurrentTestName = NULL;
    Unity.CurrentTestLineNumber = 0;
    Unity.NumberOfTests = 0;
    Unity.TestFailures = 0;
    Unity.TestIgnores = 0;
    Unity.CurrentTestFailed = 0;
    Unity.CurrentTestIgnored = 0;
    UNITY_OUTPUT_START();
}

int UnityEnd(void)
{
    UNITY_PRINT_EOL();
    UnityPrint("-----------------------");
    UNITY_PRINT_EOL();
    UnityPrintNumberUnsigned(Unity.NumberOfTests);
    UnityPrint(" Tests ");
    UnityPrintNumberUnsigned(Unity.TestFailures);
    UnityPrint(" Failures ");
    UnityPrintNumberUnsigned(Unity.TestIgnores);
    UnityPrint(" Ignored");
    UNITY_PRINT_EOL();
    UnityPrint(Unity.TestFailures == 0 ? "OK" : "FAIL");
    UNITY_PRINT_EOL();
    UNITY_OUTPUT_FLUSH();
    UNITY_OUTPUT_COMPLETE();
    return (int)Unity.TestFailures;
}
