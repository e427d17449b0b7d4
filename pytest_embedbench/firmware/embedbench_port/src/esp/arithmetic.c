/* Arithmetic that the compiler takes for granted and Debian's libgcc for the LX106
 * leaves out: that chip has it in its ROM. The ESP32's ROM has it too, but called in
 * another way. */
#if defined(__XTENSA__) && !defined(ESP_PLATFORM) && !defined(ARDUINO)

#include <stdint.h>

uint32_t __udivsi3(uint32_t dividend, uint32_t divisor);
uint32_t __umodsi3(uint32_t dividend, uint32_t divisor);
int32_t __divsi3(int32_t dividend, int32_t divisor);
int32_t __modsi3(int32_t dividend, int32_t divisor);
uint64_t __udivdi3(uint64_t dividend, uint64_t divisor);
uint64_t __umoddi3(uint64_t dividend, uint64_t divisor);
int64_t __divdi3(int64_t dividend, int64_t divisor);
int64_t __moddi3(int64_t dividend, int64_t divisor);
uint64_t __muldi3(uint64_t left, uint64_t right);

typedef struct {
    uint32_t quotient;
    uint32_t remainder;
} division32_t;

typedef struct {
    uint64_t quotient;
    uint64_t remainder;
} division64_t;

static inline division32_t divide32(uint32_t dividend, uint32_t divisor)
{
    division32_t result = {0, 0};

    for (int bit = 31; bit >= 0; bit--) {
        uint32_t carry = result.remainder >> 31;

        result.remainder = result.remainder << 1 | (dividend >> bit & 1U);
        if (carry || result.remainder >= divisor) {
            result.remainder -= divisor;
            result.quotient |= 1U << bit;
        }
    }
    return result;
}

static division64_t divide64(uint64_t dividend, uint64_t divisor)
{
    division64_t result = {0, 0};

    for (int bit = 63; bit >= 0; bit--) {
        uint64_t carry = result.remainder >> 63;

        result.remainder = result.remainder << 1 | (dividend >> bit & 1U);
        if (carry || result.remainder >= divisor) {
            result.remainder -= divisor;
            result.quotient |= (uint64_t)1 << bit;
        }
    }
    return result;
}

static inline uint32_t size32(int32_t number)
{
    return number < 0 ? 0U - (uint32_t)number : (uint32_t)number;
}

static inline uint64_t size64(int64_t number)
{
    return number < 0 ? 0U - (uint64_t)number : (uint64_t)number;
}

uint32_t __udivsi3(uint32_t dividend, uint32_t divisor)
{
    return divide32(dividend, divisor).quotient;
}

uint32_t __umodsi3(uint32_t dividend, uint32_t divisor)
{
    return divide32(dividend, divisor).remainder;
}

int32_t __divsi3(int32_t dividend, int32_t divisor)
{
    uint32_t quotient = divide32(size32(dividend), size32(divisor)).quotient;

    return (int32_t)((dividend < 0) != (divisor < 0) ? 0U - quotient : quotient);
}

int32_t __modsi3(int32_t dividend, int32_t divisor)
{
    uint32_t remainder = divide32(size32(dividend), size32(divisor)).remainder;

    return (int32_t)(dividend < 0 ? 0U - remainder : remainder);
}

uint64_t __udivdi3(uint64_t dividend, uint64_t divisor)
{
    return divide64(dividend, divisor).quotient;
}

uint64_t __umoddi3(uint64_t dividend, uint64_t divisor)
{
    return divide64(dividend, divisor).remainder;
}

int64_t __divdi3(int64_t dividend, int64_t divisor)
{
    uint64_t quotient = divide64(size64(dividend), size64(divisor)).quotient;

    return (int64_t)((dividend < 0) != (divisor < 0) ? 0U - quotient : quotient);
}

int64_t __moddi3(int64_t dividend, int64_t divisor)
{
    uint64_t remainder = divide64(size64(dividend), size64(divisor)).remainder;

    return (int64_t)(dividend < 0 ? 0U - remainder : remainder);
}

uint64_t __muldi3(uint64_t left, uint64_t right)
{
    uint64_t product = 0;

    for (; right != 0; right >>= 1) {
        if (right & 1U) {
            product += left;
        }
        left <<= 1;
    }
    return product;
}

#endif
