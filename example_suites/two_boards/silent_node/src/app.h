/* What a controller is given, and what it has: src/controller.c defines the last two. */
#ifndef APP_H
#define APP_H

#include <stdbool.h>
#include <stdint.h>

/* Say a line, given without its end. */
void say(const char *line);

/* The node has said a line, which is without its end. */
void controller_hear(const char *line, uint32_t now_ms);

/* Time has passed: called every 20 ms or sooner, and after each line. */
void controller_tick(uint32_t now_ms);

#endif
