#if !defined(ARDUINO) && !defined(ESP_PLATFORM) \
    && (defined(__linux__) || defined(__APPLE__)) && !defined(PORT_REAL_TIME)

#define _GNU_SOURCE

#include "growing.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST_CAPACITY 65536U

void growing_reserve(growing_t *buffer, size_t capacity)
{
    size_t size = buffer->capacity > 0 ? buffer->capacity : FIRST_CAPACITY;
    void *room;

    if (capacity <= buffer->capacity) {
        return;
    }
    while (size < capacity) {
        size *= 2;
    }
    room = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) {
        abort();
    }
    if (buffer->capacity > 0) {
        memcpy(room, buffer->bytes, buffer->length);
        munmap(buffer->bytes, buffer->capacity);
    }
    buffer->bytes = room;
    buffer->capacity = size;
}

void growing_append(growing_t *buffer, const void *bytes, size_t length)
{
    growing_reserve(buffer, buffer->length + length);
    memcpy(buffer->bytes + buffer->length, bytes, length);
    buffer->length += length;
}

#endif
