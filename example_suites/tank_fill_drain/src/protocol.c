#include "protocol.h"

#include "embedbench_frame.h"

static protocol_parse_result_t parse_level(const frame_t *frame, protocol_input_t *input)
{
    if (frame_value(frame, PROTOCOL_LEVEL_MIN, PROTOCOL_LEVEL_MAX, &input->level)) {
        input->kind = PROTOCOL_INPUT_LEVEL;
        return PROTOCOL_PARSE_LEVEL;
    }
    input->kind = PROTOCOL_INPUT_INVALID_LEVEL;
    return PROTOCOL_PARSE_INVALID_LEVEL;
}

protocol_parse_result_t protocol_parse_line(const char *line, protocol_input_t *input)
{
    frame_t frame;

    input->kind = PROTOCOL_INPUT_NONE;
    input->level = 0;
    frame_split(&frame, line);
    if (frame_begins(&frame, "SENSE", "LEVEL")) {
        return parse_level(&frame, input);
    }
    if (frame_begins(&frame, "FAULT", "SENSOR_TIMEOUT") && frame.count == 2U) {
        input->kind = PROTOCOL_INPUT_SENSOR_TIMEOUT;
        return PROTOCOL_PARSE_SENSOR_TIMEOUT;
    }
    return PROTOCOL_PARSE_IGNORED;
}

bool protocol_serialize_act_pump(bool pump_on, char *buffer, size_t buffer_size)
{
    return frame_write(buffer, buffer_size, "ACT PUMP ", pump_on ? "ON" : "OFF");
}

bool protocol_serialize_debug(const char *text, char *buffer, size_t buffer_size)
{
    return frame_write(buffer, buffer_size, "DBG ", text);
}
