/* Where a submission starts: safe, and of no use.
 * Made from task.toml by `embedbench generate`. */
#include "controller.h"

#include <stddef.h>

const char *controller_state_name(controller_state_t state)
{
    switch (state) {
    case CONTROLLER_STATE_HEATING:
        return "STATE HEATING";
    case CONTROLLER_STATE_HOLDING:
        return "STATE HOLDING";
    case CONTROLLER_STATE_SAFE_OFF:
        break;
    }
    return "STATE SAFE_OFF";
}

void controller_init(controller_t *controller)
{
    if (controller != NULL) {
        *controller = (controller_t){
            .heater_on = false,
            .state = CONTROLLER_STATE_SAFE_OFF,
        };
    }
}

controller_output_t controller_step(controller_t *controller, controller_input_t input)
{
    controller_output_t output = {0};

    (void)controller;
    (void)input;
    output.heater_on = false;
    output.state = CONTROLLER_STATE_SAFE_OFF;
    output.state_name = controller_state_name(output.state);
    return output;
}
