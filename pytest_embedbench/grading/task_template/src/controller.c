/* Where a submission starts: safe, and of no use. */
#include "controller.h"

void controller_init(controller_t *controller)
{
    *controller = (controller_t){.actuator_name_on = false, .state = CONTROLLER_STATE_SAFE_OFF};
}

controller_output_t controller_step(controller_t *controller, controller_input_t input)
{
    controller_output_t output = {0};

    (void)controller;
    (void)input;
    output.state = CONTROLLER_STATE_SAFE_OFF;
    output.state_name = "STATE SAFE_OFF";
    return output;
}
