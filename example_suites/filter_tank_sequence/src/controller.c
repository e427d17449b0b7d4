/* Where a submission starts: safe, and of no use.
 * Made from task.toml by `embedbench generate`. */
#include "controller.h"

#include <stddef.h>

const char *controller_state_name(controller_state_t state)
{
    switch (state) {
    case CONTROLLER_STATE_FILTERING:
        return "STATE FILTERING";
    case CONTROLLER_STATE_SETTLING:
        return "STATE SETTLING";
    case CONTROLLER_STATE_DRAINING:
        return "STATE DRAINING";
    case CONTROLLER_STATE_COMPLETE:
        return "STATE COMPLETE";
    case CONTROLLER_STATE_SAFE_IDLE:
        break;
    }
    return "STATE SAFE_IDLE";
}

void controller_init(controller_t *controller)
{
    if (controller != NULL) {
        *controller = (controller_t){
            .filter_on = false,
            .drain_open = false,
            .state = CONTROLLER_STATE_SAFE_IDLE,
        };
    }
}

controller_output_t controller_step(controller_t *controller, controller_input_t input)
{
    controller_output_t output = {0};

    (void)controller;
    (void)input;
    output.filter_on = false;
    output.drain_open = false;
    output.state = CONTROLLER_STATE_SAFE_IDLE;
    output.state_name = controller_state_name(output.state);
    return output;
}
