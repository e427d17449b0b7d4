#include "embedbench_frame.h"

#include <string.h>

#define OUT_OF_ANY_RANGE 1000000L

static bool is_blank(char character)
{
    return character == ' ' || character == '\t';
}

static bool is_space(char character)
{
    return is_blank(character) || (character >= '\n' && character <= '\r');
}

void frame_split(frame_t *frame, const char *line)
{
    size_t start = 0;
    size_t end = 0;

    frame->count = 0;
    if (line == NULL) {
        return;
    }
    while (end < FRAME_MAX_TEXT && line[end] != '\0') {
        frame->text[end] = line[end];
        end++;
    }
    while (start < end && is_space(frame->text[start])) {
        start++;
    }
    while (end > start && is_space(frame->text[end - 1U])) {
        end--;
    }
    frame->text[end] = '\0';

    for (size_t i = start; i < end && frame->count < FRAME_MAX_WORDS; i++) {
        if (is_blank(frame->text[i])) {
            frame->text[i] = '\0';
        } else if (i == start || frame->text[i - 1U] == '\0') {
            frame->words[frame->count++] = &frame->text[i];
        }
    }
}

bool frame_begins(const frame_t *frame, const char *first, const char *second)
{
    return frame->count >= 2U && strcmp(frame->words[0], first) == 0
           && strcmp(frame->words[1], second) == 0;
}

bool frame_is(const frame_t *frame, const char *first, const char *second)
{
    return frame->count == 2U && frame_begins(frame, first, second);
}

bool frame_value(const frame_t *frame, int lowest, int highest, int *value)
{
    const char *digit;
    bool negative;
    long number = 0;

    if (frame->count != 3U) {
        return false;
    }
    digit = frame->words[2];
    negative = *digit == '-';
    if (*digit == '-' || *digit == '+') {
        digit++;
    }
    if (*digit == '\0') {
        return false;
    }
    for (; *digit != '\0'; digit++) {
        if (*digit < '0' || *digit > '9') {
            return false;
        }
        if (number < OUT_OF_ANY_RANGE) {
            number = number * 10L + (*digit - '0');
        }
    }
    if (negative) {
        number = -number;
    }
    if (number < lowest || number > highest) {
        return false;
    }
    *value = (int)number;
    return true;
}

bool frame_write(char *buffer, size_t size, const char *start, const char *end)
{
    size_t start_length;
    size_t end_length;

    if (buffer == NULL || start == NULL || end == NULL) {
        return false;
    }
    start_length = strlen(start);
    end_length = strlen(end);
    if (start_length + end_length + 2U > size) {
        return false;
    }
    memcpy(buffer, start, start_length);
    memcpy(buffer + start_length, end, end_length);
    memcpy(buffer + start_length + end_length, "\n", 2U);
    return true;
}
