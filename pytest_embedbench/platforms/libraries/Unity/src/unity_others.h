/* Assertions on all but whole numbers. Included by unity.h. */
#ifndef UNITY_OTHERS_H
#define UNITY_OTHERS_H

#define UNITY_SAYS_TRUE " Expected TRUE Was FALSE"
#define UNITY_SAYS_FALSE " Expected FALSE Was TRUE"
#define UNITY_SAYS_EVALUATED " Expression Evaluated To FALSE"
#define UNITY_SAYS_NULL " Expected NULL"
#define UNITY_SAYS_NOT_NULL " Expected Non-NULL"
#define UNITY_SAYS_EMPTY " Expected Empty"
#define UNITY_SAYS_NOT_EMPTY " Expected Non-Empty"

#define TEST_ASSERT_MESSAGE(condition, message) UNITY_CHECK((condition), (message))
#define TEST_ASSERT(condition) TEST_ASSERT_MESSAGE(condition, UNITY_SAYS_EVALUATED)
#define TEST_ASSERT_TRUE_MESSAGE(condition, message) \
    UNITY_CHECK((condition), (message))
#define TEST_ASSERT_TRUE(condition) \
    TEST_ASSERT_TRUE_MESSAGE(condition, UNITY_SAYS_TRUE)
#define TEST_ASSERT_UNLESS_MESSAGE(condition, message) \
    UNITY_CHECK(!(condition), (message))
#define TEST_ASSERT_UNLESS(condition) \
    TEST_ASSERT_UNLESS_MESSAGE(condition, UNITY_SAYS_EVALUATED)
#define TEST_ASSERT_FALSE_MESSAGE(condition, message) \
    UNITY_CHECK(!(condition), (message))
#define TEST_ASSERT_FALSE(condition) \
    TEST_ASSERT_FALSE_MESSAGE(condition, UNITY_SAYS_FALSE)
#define TEST_ASSERT_NULL_MESSAGE(pointer, message) \
    UNITY_CHECK((pointer) == NULL, (message))
#define TEST_ASSERT_NULL(pointer) TEST_ASSERT_NULL_MESSAGE(pointer, UNITY_SAYS_NULL)
#define TEST_ASSERT_NOT_NULL_MESSAGE(pointer, message) \
    UNITY_CHECK((pointer) != NULL, (message))
#define TEST_ASSERT_NOT_NULL(pointer) \
    TEST_ASSERT_NOT_NULL_MESSAGE(pointer, UNITY_SAYS_NOT_NULL)
#define TEST_ASSERT_EMPTY_MESSAGE(text, message) \
    UNITY_CHECK(*(text) == 0, (message))
#define TEST_ASSERT_EMPTY(text) TEST_ASSERT_EMPTY_MESSAGE(text, UNITY_SAYS_EMPTY)
#define TEST_ASSERT_NOT_EMPTY_MESSAGE(text, message) \
    UNITY_CHECK(*(text) != 0, (message))
#define TEST_ASSERT_NOT_EMPTY(text) \
    TEST_ASSERT_NOT_EMPTY_MESSAGE(text, UNITY_SAYS_NOT_EMPTY)

/* Without a type it is an int. */
#define TEST_ASSERT_EQUAL TEST_ASSERT_EQUAL_INT
#define TEST_ASSERT_EQUAL_MESSAGE TEST_ASSERT_EQUAL_INT_MESSAGE
#define TEST_ASSERT_NOT_EQUAL TEST_ASSERT_NOT_EQUAL_INT
#define TEST_ASSERT_NOT_EQUAL_MESSAGE TEST_ASSERT_NOT_EQUAL_INT_MESSAGE
#define TEST_ASSERT_GREATER_THAN TEST_ASSERT_GREATER_THAN_INT
#define TEST_ASSERT_GREATER_THAN_MESSAGE TEST_ASSERT_GREATER_THAN_INT_MESSAGE
#define TEST_ASSERT_LESS_THAN TEST_ASSERT_LESS_THAN_INT
#define TEST_ASSERT_LESS_THAN_MESSAGE TEST_ASSERT_LESS_THAN_INT_MESSAGE
#define TEST_ASSERT_GREATER_OR_EQUAL TEST_ASSERT_GREATER_OR_EQUAL_INT
#define TEST_ASSERT_GREATER_OR_EQUAL_MESSAGE TEST_ASSERT_GREATER_OR_EQUAL_INT_MESSAGE
#define TEST_ASSERT_LESS_OR_EQUAL TEST_ASSERT_LESS_OR_EQUAL_INT
#define TEST_ASSERT_LESS_OR_EQUAL_MESSAGE TEST_ASSERT_LESS_OR_EQUAL_INT_MESSAGE

#define TEST_ASSERT_BITS_MESSAGE(mask, expected, actual, message) \
    UnityBits((UNITY_INT)(mask), (UNITY_INT)(expected), (UNITY_INT)(actual), \
              (message), UNITY_AT)
#define TEST_ASSERT_BITS(mask, expected, actual) \
    TEST_ASSERT_BITS_MESSAGE(mask, expected, actual, NULL)
#define TEST_ASSERT_BITS_HIGH_MESSAGE(mask, actual, message) \
    TEST_ASSERT_BITS_MESSAGE(mask, -1, actual, message)
#define TEST_ASSERT_BITS_HIGH(mask, actual) \
    TEST_ASSERT_BITS_HIGH_MESSAGE(mask, actual, NULL)
#define TEST_ASSERT_BITS_LOW_MESSAGE(mask, actual, message) \
    TEST_ASSERT_BITS_MESSAGE(mask, 0, actual, message)
#define TEST_ASSERT_BITS_LOW(mask, actual) \
    TEST_ASSERT_BITS_LOW_MESSAGE(mask, actual, NULL)
#define TEST_ASSERT_BIT_HIGH_MESSAGE(bit, actual, message) \
    TEST_ASSERT_BITS_MESSAGE((UNITY_UINT)1 << (bit), -1, actual, message)
#define TEST_ASSERT_BIT_HIGH(bit, actual) \
    TEST_ASSERT_BIT_HIGH_MESSAGE(bit, actual, NULL)
#define TEST_ASSERT_BIT_LOW_MESSAGE(bit, actual, message) \
    TEST_ASSERT_BITS_MESSAGE((UNITY_UINT)1 << (bit), 0, actual, message)
#define TEST_ASSERT_BIT_LOW(bit, actual) TEST_ASSERT_BIT_LOW_MESSAGE(bit, actual, NULL)

#define UNITY_POINTER UNITY_HEX_STYLE(sizeof(void *))
#define TEST_ASSERT_EQUAL_PTR_MESSAGE(expected, actual, message) \
    UNITY_COMPARE(uintptr_t, UNITY_POINTER, UNITY_EQUAL, expected, actual, (message))
#define TEST_ASSERT_EQUAL_PTR(expected, actual) \
    TEST_ASSERT_EQUAL_PTR_MESSAGE(expected, actual, NULL)
#define TEST_ASSERT_EQUAL_PTR_ARRAY_MESSAGE(expected, actual, count, message) \
    UNITY_ARRAYS(UNITY_POINTER, 0, 0, (expected), (actual), (count), (message))
#define TEST_ASSERT_EQUAL_PTR_ARRAY(expected, actual, count) \
    TEST_ASSERT_EQUAL_PTR_ARRAY_MESSAGE(expected, actual, count, NULL)
#define TEST_ASSERT_EACH_EQUAL_PTR_MESSAGE(expected, actual, count, message) \
    UNITY_EACH(uintptr_t, UNITY_POINTER, (expected), (actual), (count), (message))
#define TEST_ASSERT_EACH_EQUAL_PTR(expected, actual, count) \
    TEST_ASSERT_EACH_EQUAL_PTR_MESSAGE(expected, actual, count, NULL)

#define TEST_ASSERT_EQUAL_STRING_MESSAGE(expected, actual, message) \
    UnityStrings((const char *)(expected), (const char *)(actual), ((size_t)-1 / 2), \
                 (message), UNITY_AT)
#define TEST_ASSERT_EQUAL_STRING(expected, actual) \
    TEST_ASSERT_EQUAL_STRING_MESSAGE(expected, actual, NULL)
#define TEST_ASSERT_EQUAL_STRING_LEN_MESSAGE(expected, actual, length, message) \
    UnityStrings((const char *)(expected), (const char *)(actual), (size_t)(length), \
                 (message), UNITY_AT)
#define TEST_ASSERT_EQUAL_STRING_LEN(expected, actual, length) \
    TEST_ASSERT_EQUAL_STRING_LEN_MESSAGE(expected, actual, length, NULL)
#define TEST_ASSERT_EQUAL_STRING_ARRAY_MESSAGE(expected, actual, count, message) \
    UnityStringArrays((const char **)(expected), (const char **)(actual), \
                      (uint32_t)(count), (message), UNITY_AT)
#define TEST_ASSERT_EQUAL_STRING_ARRAY(expected, actual, count) \
    TEST_ASSERT_EQUAL_STRING_ARRAY_MESSAGE(expected, actual, count, NULL)
#define TEST_ASSERT_EQUAL_MEMORY_ARRAY_MESSAGE(expected, actual, bytes, count, message) \
    UnityMemory((const void *)(expected), (const void *)(actual), (uint32_t)(bytes), \
                (uint32_t)(count), (message), UNITY_AT)
#define TEST_ASSERT_EQUAL_MEMORY_ARRAY(expected, actual, bytes, count) \
    TEST_ASSERT_EQUAL_MEMORY_ARRAY_MESSAGE(expected, actual, bytes, count, NULL)
#define TEST_ASSERT_EQUAL_MEMORY_MESSAGE(expected, actual, bytes, message) \
    TEST_ASSERT_EQUAL_MEMORY_ARRAY_MESSAGE(expected, actual, bytes, 1, message)
#define TEST_ASSERT_EQUAL_MEMORY(expected, actual, bytes) \
    TEST_ASSERT_EQUAL_MEMORY_MESSAGE(expected, actual, bytes, NULL)

/* Floating point: an expected number may be missed by a hundred-thousandth of it. */
#define UNITY_ABOUT(type, number) ((type)1e-5 * ((number) < 0 ? -(number) : (number)))
#define TEST_ASSERT_FLOAT_WITHIN_MESSAGE(delta, expected, actual, message) \
    UnityFloats((UNITY_FLOAT)(delta), (UNITY_FLOAT)(expected), (UNITY_FLOAT)(actual), \
                (message), UNITY_AT)
#define TEST_ASSERT_FLOAT_WITHIN(delta, expected, actual) \
    TEST_ASSERT_FLOAT_WITHIN_MESSAGE(delta, expected, actual, NULL)
#define TEST_ASSERT_EQUAL_FLOAT_MESSAGE(expected, actual, message) \
    TEST_ASSERT_FLOAT_WITHIN_MESSAGE( \
        UNITY_ABOUT(UNITY_FLOAT, (UNITY_FLOAT)(expected)), expected, actual, message)
#define TEST_ASSERT_EQUAL_FLOAT(expected, actual) \
    TEST_ASSERT_EQUAL_FLOAT_MESSAGE(expected, actual, NULL)
#define TEST_ASSERT_EQUAL_FLOAT_ARRAY_MESSAGE(expected, actual, count, message) \
    UnityFloatArrays((expected), (actual), (uint32_t)(count), \
                     (int)sizeof(UNITY_FLOAT), (message), UNITY_AT)
#define TEST_ASSERT_EQUAL_FLOAT_ARRAY(expected, actual, count) \
    TEST_ASSERT_EQUAL_FLOAT_ARRAY_MESSAGE(expected, actual, count, NULL)
#define UNITY_FLOAT_COMPARE(threshold, actual, allowed, message) \
    UnityCompareFloats((UNITY_FLOAT)(threshold), (UNITY_FLOAT)(actual), (allowed), \
                       (message), UNITY_AT)
#define TEST_ASSERT_GREATER_THAN_FLOAT_MESSAGE(threshold, actual, message) \
    UNITY_FLOAT_COMPARE(threshold, actual, UNITY_GREATER, (message))
#define TEST_ASSERT_GREATER_THAN_FLOAT(threshold, actual) \
    TEST_ASSERT_GREATER_THAN_FLOAT_MESSAGE(threshold, actual, NULL)
#define TEST_ASSERT_LESS_THAN_FLOAT_MESSAGE(threshold, actual, message) \
    UNITY_FLOAT_COMPARE(threshold, actual, UNITY_LESS, (message))
#define TEST_ASSERT_LESS_THAN_FLOAT(threshold, actual) \
    TEST_ASSERT_LESS_THAN_FLOAT_MESSAGE(threshold, actual, NULL)
#define UNITY_TRAIT(actual, trait, wanted) \
    UnityFloatTrait((UNITY_FLOAT)(actual), (trait), (wanted), NULL, UNITY_AT)
#define TEST_ASSERT_FLOAT_IS_INF(actual) UNITY_TRAIT(actual, UNITY_FLOAT_IS_INF, 1)
#define TEST_ASSERT_FLOAT_IS_NEG_INF(actual) \
    UNITY_TRAIT(actual, UNITY_FLOAT_IS_NEG_INF, 1)
#define TEST_ASSERT_FLOAT_IS_NAN(actual) UNITY_TRAIT(actual, UNITY_FLOAT_IS_NAN, 1)
#define TEST_ASSERT_FLOAT_IS_DETERMINATE(actual) \
    UNITY_TRAIT(actual, UNITY_FLOAT_IS_DETERMINATE, 1)
#define TEST_ASSERT_FLOAT_IS_NOT_INF(actual) UNITY_TRAIT(actual, UNITY_FLOAT_IS_INF, 0)
#define TEST_ASSERT_FLOAT_IS_NOT_NEG_INF(actual) \
    UNITY_TRAIT(actual, UNITY_FLOAT_IS_NEG_INF, 0)
#define TEST_ASSERT_FLOAT_IS_NOT_NAN(actual) UNITY_TRAIT(actual, UNITY_FLOAT_IS_NAN, 0)
#define TEST_ASSERT_FLOAT_IS_NOT_DETERMINATE(actual) \
    UNITY_TRAIT(actual, UNITY_FLOAT_IS_DETERMINATE, 0)

/* As in Unity, a double is compared only where UNITY_INCLUDE_DOUBLE asks for it. */
#ifdef UNITY_INCLUDE_DOUBLE
#define TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(delta, expected, actual, message) \
    UnityFloats((UNITY_DOUBLE)(delta), (UNITY_DOUBLE)(expected), \
                (UNITY_DOUBLE)(actual), (message), UNITY_AT)
#define UNITY_DOUBLE_ABOUT(expected) \
    ((UNITY_DOUBLE)1e-12 * ((expected) < 0 ? -(expected) : (expected)))
#define TEST_ASSERT_EQUAL_DOUBLE_MESSAGE(expected, actual, message) \
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE( \
        UNITY_DOUBLE_ABOUT((UNITY_DOUBLE)(expected)), expected, actual, message)
#define TEST_ASSERT_EQUAL_DOUBLE_ARRAY_MESSAGE(expected, actual, count, message) \
    UnityFloatArrays((expected), (actual), (uint32_t)(count), \
                     (int)sizeof(UNITY_DOUBLE), (message), UNITY_AT)
#else
#define UNITY_NO_DOUBLE UnityFail(" Unity Double Precision Disabled", UNITY_AT)
#define TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(delta, expected, actual, message) \
    UNITY_NO_DOUBLE
#define TEST_ASSERT_EQUAL_DOUBLE_MESSAGE(expected, actual, message) UNITY_NO_DOUBLE
#define TEST_ASSERT_EQUAL_DOUBLE_ARRAY_MESSAGE(expected, actual, count, message) \
    UNITY_NO_DOUBLE
#endif
#define TEST_ASSERT_DOUBLE_WITHIN(delta, expected, actual) \
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(delta, expected, actual, NULL)
#define TEST_ASSERT_EQUAL_DOUBLE(expected, actual) \
    TEST_ASSERT_EQUAL_DOUBLE_MESSAGE(expected, actual, NULL)
#define TEST_ASSERT_EQUAL_DOUBLE_ARRAY(expected, actual, count) \
    TEST_ASSERT_EQUAL_DOUBLE_ARRAY_MESSAGE(expected, actual, count, NULL)

#endif
