/* The controller, put into the shell. Fixed: not part of a submission.
 * Made from task.toml by `embedbench generate`. */
#include "controller.h"
#include "protocol.h"

#include "embedbench_controller.h"

static bool app_read(const char *line, controller_input_t *input)
{
    protocol_input_t read;

    switch (protocol_parse_line(line, &read)) {
    case PROTOCOL_PARSE_PRESSURE:
        input->kind = CONTROLLER_INPUT_PRESSURE;
        input->pressure_kpa = read.pressure_kpa;
        return true;
    case PROTOCOL_PARSE_DOOR_OPEN:
        input->kind = CONTROLLER_INPUT_DOOR_OPEN;
        input->door_closed = false;
        return true;
    case PROTOCOL_PARSE_DOOR_CLOSED:
        input->kind = CONTROLLER_INPUT_DOOR_CLOSED;
        input->door_closed = true;
        return true;
    case PROTOCOL_PARSE_SENSOR_TIMEOUT:
        input->kind = CONTROLLER_INPUT_SENSOR_TIMEOUT;
        return true;
    case PROTOCOL_PARSE_INVALID_PRESSURE:
        input->kind = CONTROLLER_INPUT_INVALID_PRESSURE;
        return true;
    case PROTOCOL_PARSE_INVALID_DOOR:
        input->kind = CONTROLLER_INPUT_INVALID_DOOR;
        return true;
    case PROTOCOL_PARSE_IGNORED:
        break;
    }
    return false;
}

static void app_send(const controller_output_t *output)
{
    char line[PROTOCOL_MAX_LINE_LENGTH];

    shell_send_if(protocol_serialize_act_compressor(output->compressor_on, line, sizeof line), line);
    shell_send_if(protocol_serialize_act_vent(output->vent_open, line, sizeof line), line);
}

void firmware_main(void)
{
    app_run("ACT COMPRESSOR OFF\nACT VENT OPEN\nDBG STATE SAFE_VENT\n");
}
