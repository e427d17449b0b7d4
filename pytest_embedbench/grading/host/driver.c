/* Steps a submission's controller: the half of the host stage that is linked with it.
 *
 * The other half is keeper.c, which calls what is here, and where all that talks and
 * limits is: a submission cannot put functions of its own in their place. Compiled with
 * the submission's own headers; host_task.h is made from the task's task.toml.
 */
#include "host_driver.h"

#include "controller.h"
#include "protocol.h"

#undef host_driver
#undef host_driver_t
#include "host_task.h"
#include "stepping.h"

static size_t host_take_steps(const void *steps, size_t length, void *answer,
                              volatile uint32_t *begun)
{
    const host_step_t *step = steps;
    host_stepped_t *seen = answer;
    size_t count = length / sizeof *step;

    for (size_t i = 0; i < count; i++) {
        *begun = (uint32_t)i + 1U;
        seen[i] = host_take_step(&step[i]);
    }
    return count * sizeof *seen;
}

static size_t host_parse(const char *line, void *answer)
{
    *(host_parsed_t *)answer = host_read_line(line);
    return sizeof(host_parsed_t);
}

static bool host_serialise(int32_t actuator, bool on, char *text, size_t size)
{
    return host_serialisers[actuator](on, text, size);
}

static void host_init(void)
{
    controller_init(&host_controller);
}

const host_driver_t host_driver = {host_init, host_take_steps, host_parse,
                                   host_serialise};
