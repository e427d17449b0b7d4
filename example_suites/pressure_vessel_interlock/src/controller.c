/* Where a submission starts: safe, and of no use.
 * Made from task.toml by `embedbench generate`. */
#include "controller.h"

#include <stddef.h>

const char *controller_state_name(controller_state_t state)
{
    switch (state) {
    case CONTROLLER_STATE_PRESSURIZING:
        return "STATE PRESSURIZING";
    case CONTROLLER_STATE_HOLDING:
        return "STATE HOLDING";
    case CONTROLLER_STATE_RELIEVING:
        return "STATE RELIEVING";
    case CONTROLLER_STATE_SAFE_VENT:
        break;
    }
    return "STATE SAFE_VENT";
}

void controller_init(controller_t *controller)
{
    if (controller != NULL) {
        *controller = (controller_t){
            .compressor_on = false,
            .vent_open = true,
            .state = CONTROLLER_STATE_SAFE_VENT,
        };
    }
}

controller_output_t controller_step(controller_t *controller, controller_input_t input)
{
    controller_output_t output = {0};

    (void)controller;
    (void)input;
    output.compressor_on = false;
    output.vent_open = true;
    output.state = CONTROLLER_STATE_SAFE_VENT;
    output.state_name = controller_state_name(output.state);
    return output;
}
