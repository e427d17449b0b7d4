/* A Linux machine of its own, such as a Raspberry Pi: real time, and a real UART.
 *
 * Build with -D PORT_REAL_TIME; without it a program for Linux is one for the bench,
 * in virtual time. EMBEDBENCH_UART in the environment names the UART's device; without
 * it, or if it is "-", the UART is standard input and output.
 */
#if defined(__linux__) && defined(PORT_REAL_TIME)

#define _GNU_SOURCE

#include "embedbench_port.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static int uart_in = STDIN_FILENO;
static int uart_out = STDOUT_FILENO;
static uint64_t epoch_ms;

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000U + (uint64_t)now.tv_nsec / 1000000U;
}

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static void open_uart(const char *device)
{
    struct termios settings;

    uart_in = open(device, O_RDWR | O_NOCTTY);
    uart_out = uart_in;
    if (uart_in < 0 || tcgetattr(uart_in, &settings) < 0) {
        die(device);
    }
    cfmakeraw(&settings); /* its speed is set by whoever starts us */
    if (tcsetattr(uart_in, TCSANOW, &settings) < 0) {
        die(device);
    }
}

uint32_t port_now_ms(void)
{
    return (uint32_t)((now_ms() - epoch_ms) / PORT_TICK_MS * PORT_TICK_MS);
}

size_t port_uart_read(uint8_t *buffer, size_t capacity, uint32_t timeout_ms)
{
    uint64_t until_ms = now_ms() + timeout_ms;
    size_t count = 0;

    while (count < capacity) {
        struct pollfd waiting = {uart_in, POLLIN, 0};
        uint64_t at_ms = now_ms();
        int patience_ms = at_ms < until_ms ? (int)(until_ms - at_ms) : 0;
        int ready = poll(&waiting, 1, patience_ms);
        ssize_t got;

        if (ready == 0) {
            break;
        }
        if (ready < 0) {
            if (errno == EINTR) {
                continue;
            }
            die("poll");
        }
        got = read(uart_in, buffer + count, capacity - count);
        if (got == 0 || (got < 0 && errno == EIO)) {
            exit(0); /* nobody is at the other end any more */
        }
        if (got > 0) {
            count += (size_t)got;
            until_ms = now_ms() + timeout_ms;
        } else if (errno != EINTR && errno != EAGAIN) {
            die("read");
        }
    }
    return count;
}

void port_uart_write(const uint8_t *data, size_t length)
{
    while (length > 0) {
        ssize_t count = write(uart_out, data, length);

        if (count < 0 && errno != EINTR) {
            die("write");
        }
        if (count > 0) {
            data += count;
            length -= (size_t)count;
        }
    }
}

void port_delay_ms(uint32_t duration_ms)
{
    struct timespec left = {duration_ms / 1000U, (long)(duration_ms % 1000U) * 1000000L};

    while (nanosleep(&left, &left) < 0 && errno == EINTR) {
    }
}

int main(void)
{
    const char *device = getenv("EMBEDBENCH_UART");

    if (device != NULL && device[0] != '\0' && strcmp(device, "-") != 0) {
        open_uart(device);
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    epoch_ms = now_ms();
    firmware_main();
    return 0;
}

#endif
