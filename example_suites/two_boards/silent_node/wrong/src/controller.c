/* The controller: obeys levels, and takes any line for a sign of life. */
#include "app.h"

#include <string.h>

#define LOW_PCT 30
#define HIGH_PCT 80
#define FULL_PCT 100
#define LOST_AFTER_MS 500U

static bool pump_on;
static bool is_lost;
static uint32_t heard_ms;

static void switch_pump(bool on)
{
    if (on != pump_on) {
        pump_on = on;
        say(on ? "ACT PUMP ON" : "ACT PUMP OFF");
    }
}

/* Return the level of a valid line, or -1. */
static int level_of(const char *line)
{
    static const char LEVEL[] = "LEVEL ";
    int level = 0;

    if (strncmp(line, LEVEL, sizeof LEVEL - 1) != 0) {
        return -1;
    }
    line += sizeof LEVEL - 1;
    if (*line == '\0') {
        return -1;
    }
    for (; *line != '\0'; line++) {
        if (*line < '0' || *line > '9') {
            return -1;
        }
        level = level * 10 + (*line - '0');
        if (level > FULL_PCT) {
            return -1;
        }
    }
    return level;
}

void controller_hear(const char *line, uint32_t now_ms)
{
    int level = level_of(line);

    heard_ms = now_ms;
    if (level < 0) {
        return;
    }
    if (is_lost) {
        is_lost = false;
        say("LINK UP");
    }
    if (level < LOW_PCT) {
        switch_pump(true);
    } else if (level > HIGH_PCT) {
        switch_pump(false);
    }
}

void controller_tick(uint32_t now_ms)
{
    if (!is_lost && now_ms - heard_ms > LOST_AFTER_MS) {
        is_lost = true;
        say("LINK LOST");
        switch_pump(false);
    }
}
