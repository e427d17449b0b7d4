/* A byte buffer that grows, apart from the heap: a firmware that ruins its heap
 * must not take our report of it along. */
#ifndef EMBEDBENCH_GROWING_H
#define EMBEDBENCH_GROWING_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint8_t *bytes;
    size_t length;
    size_t capacity;
} growing_t;

/* Make room for `capacity` bytes in all; aborts when there is no memory. */
void growing_reserve(growing_t *buffer, size_t capacity);

void growing_append(growing_t *buffer, const void *bytes, size_t length);

#endif
