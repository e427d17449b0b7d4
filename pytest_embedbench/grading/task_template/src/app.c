/* The lamp's controller, put into the shell. Fixed: not part of a submission. */
#include "controller.h"
#include "protocol.h"

#include "embedbench_controller.h"

static bool app_read(const char *line, controller_input_t *input)
{
    protocol_input_t read;

    switch (protocol_parse_line(line, &read)) {
    case PROTOCOL_PARSE_LIGHT:
        input->kind = CONTROLLER_INPUT_LIGHT;
        input->light_pct = read.light_pct;
        return true;
    case PROTOCOL_PARSE_SENSOR_TIMEOUT:
        input->kind = CONTROLLER_INPUT_SENSOR_TIMEOUT;
        return true;
    case PROTOCOL_PARSE_INVALID_LIGHT:
        input->kind = CONTROLLER_INPUT_INVALID_LIGHT;
        return true;
    case PROTOCOL_PARSE_IGNORED:
        break;
    }
    return false;
}

static void app_send(const controller_output_t *output)
{
    char line[PROTOCOL_MAX_LINE_LENGTH];

    shell_send_if(protocol_serialize_act_lamp(output->lamp_on, line, sizeof line), line);
}

void firmware_main(void)
{
    app_run("ACT LAMP OFF\nDBG STATE SAFE_OFF\n");
}
