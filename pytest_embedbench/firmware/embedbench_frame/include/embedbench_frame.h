/* Frames of the wire protocol: `SENSE LEVEL 20`, `ACT PUMP ON`. */
#ifndef EMBEDBENCH_FRAME_H
#define EMBEDBENCH_FRAME_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FRAME_MAX_TEXT 127U /* what follows is not looked at */
#define FRAME_MAX_WORDS 4U

/* A line taken apart at spaces and tabs. */
typedef struct {
    char text[FRAME_MAX_TEXT + 1U];
    const char *words[FRAME_MAX_WORDS];
    size_t count; /* of words; FRAME_MAX_WORDS also stands for more */
} frame_t;

/* Take `line` apart; white space around it does not count. NULL has no words. */
void frame_split(frame_t *frame, const char *line);

/* Do the first two words read so? Case counts. */
bool frame_begins(const frame_t *frame, const char *first, const char *second);

/* Are these two words all there is? Case counts. */
bool frame_is(const frame_t *frame, const char *first, const char *second);

/* Read the third and last word as a whole number of `lowest`..`highest`.
 * False, and `*value` untouched, if it is anything else. */
bool frame_value(const frame_t *frame, int lowest, int highest, int *value);

/* Write `start`, `end` and a newline; false, and nothing written, if they do not fit. */
bool frame_write(char *buffer, size_t size, const char *start, const char *end);

#ifdef __cplusplus
}
#endif

#endif
