/* The controller, to begin with. */
#include "app.h"

void controller_hear(const char *line, uint32_t now_ms)
{
    (void)line;
    (void)now_ms;
}

void controller_tick(uint32_t now_ms)
{
    (void)now_ms;
}
