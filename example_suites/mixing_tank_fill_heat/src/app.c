/* The controller, put into the shell. Fixed: not part of a submission.
 * Made from task.toml by `embedbench generate`. */
#include "controller.h"
#include "protocol.h"

#include "embedbench_controller.h"

static bool app_read(const char *line, controller_input_t *input)
{
    protocol_input_t read;

    switch (protocol_parse_line(line, &read)) {
    case PROTOCOL_PARSE_TEMPERATURE:
        input->kind = CONTROLLER_INPUT_TEMPERATURE;
        input->temperature_c = read.temperature_c;
        return true;
    case PROTOCOL_PARSE_LEVEL:
        input->kind = CONTROLLER_INPUT_LEVEL;
        input->level = read.level;
        return true;
    case PROTOCOL_PARSE_SENSOR_TIMEOUT:
        input->kind = CONTROLLER_INPUT_SENSOR_TIMEOUT;
        return true;
    case PROTOCOL_PARSE_INVALID_TEMPERATURE:
        input->kind = CONTROLLER_INPUT_INVALID_TEMPERATURE;
        return true;
    case PROTOCOL_PARSE_INVALID_LEVEL:
        input->kind = CONTROLLER_INPUT_INVALID_LEVEL;
        return true;
    case PROTOCOL_PARSE_IGNORED:
        break;
    }
    return false;
}

static void app_send(const controller_output_t *output)
{
    char line[PROTOCOL_MAX_LINE_LENGTH];

    shell_send_if(protocol_serialize_act_inlet(output->inlet_open, line, sizeof line), line);
    shell_send_if(protocol_serialize_act_heater(output->heater_on, line, sizeof line), line);
}

void firmware_main(void)
{
    app_run("ACT INLET CLOSED\nACT HEATER OFF\nDBG STATE SAFE_IDLE\n");
}
