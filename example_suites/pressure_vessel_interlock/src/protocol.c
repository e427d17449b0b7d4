/* Made from task.toml by `embedbench generate`. */
#include "protocol.h"

#include "embedbench_frame.h"

#include <string.h>

static protocol_input_kind_t read_door(const char *word, protocol_input_t *input)
{
    if (strcmp(word, "OPEN") == 0) {
        return PROTOCOL_INPUT_DOOR_OPEN;
    }
    if (strcmp(word, "CLOSED") == 0) {
        input->door_closed = true;
        return PROTOCOL_INPUT_DOOR_CLOSED;
    }
    return PROTOCOL_INPUT_INVALID_DOOR;
}

static protocol_input_kind_t read_frame(const frame_t *frame, protocol_input_t *input)
{
    if (frame_begins(frame, "SENSE", "PRESS")) {
        return frame_value(frame, PROTOCOL_PRESSURE_MIN_KPA, PROTOCOL_PRESSURE_MAX_KPA,
                           &input->pressure_kpa)
                   ? PROTOCOL_INPUT_PRESSURE
                   : PROTOCOL_INPUT_INVALID_PRESSURE;
    }
    if (frame_begins(frame, "SENSE", "DOOR") && frame->count == 3U) {
        return read_door(frame->words[2], input);
    }
    if (frame_is(frame, "FAULT", "SENSOR_TIMEOUT")) {
        return PROTOCOL_INPUT_SENSOR_TIMEOUT;
    }
    return PROTOCOL_INPUT_NONE;
}

protocol_parse_result_t protocol_parse_line(const char *line, protocol_input_t *input)
{
    static const protocol_input_t nothing = {0};
    frame_t frame;

    *input = nothing;
    frame_split(&frame, line);
    input->kind = read_frame(&frame, input);
    /* Kinds and results are numbered alike. */
    return (protocol_parse_result_t)input->kind;
}

bool protocol_serialize_act_compressor(bool compressor_on, char *buffer, size_t buffer_size)
{
    return frame_write(buffer, buffer_size, "ACT COMPRESSOR ", compressor_on ? "ON" : "OFF");
}

bool protocol_serialize_act_vent(bool vent_open, char *buffer, size_t buffer_size)
{
    return frame_write(buffer, buffer_size, "ACT VENT ", vent_open ? "OPEN" : "CLOSED");
}

bool protocol_serialize_debug(const char *text, char *buffer, size_t buffer_size)
{
    return frame_write(buffer, buffer_size, "DBG ", text);
}
