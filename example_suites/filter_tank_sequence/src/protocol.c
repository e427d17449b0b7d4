/* Made from task.toml by `embedbench generate`. */
#include "protocol.h"

#include "embedbench_frame.h"

static protocol_input_kind_t read_frame(const frame_t *frame, protocol_input_t *input)
{
    if (frame_begins(frame, "SENSE", "TURB")) {
        return frame_value(frame, PROTOCOL_TURBIDITY_MIN_NTU,
                           PROTOCOL_TURBIDITY_MAX_NTU, &input->turbidity_ntu)
                   ? PROTOCOL_INPUT_TURBIDITY
                   : PROTOCOL_INPUT_INVALID_TURBIDITY;
    }
    if (frame_begins(frame, "SENSE", "LEVEL")) {
        return frame_value(frame, PROTOCOL_LEVEL_MIN, PROTOCOL_LEVEL_MAX, &input->level)
                   ? PROTOCOL_INPUT_LEVEL
                   : PROTOCOL_INPUT_INVALID_LEVEL;
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

bool protocol_serialize_act_filter(bool filter_on, char *buffer, size_t buffer_size)
{
    return frame_write(buffer, buffer_size, "ACT FILTER ", filter_on ? "ON" : "OFF");
}

bool protocol_serialize_act_drain(bool drain_open, char *buffer, size_t buffer_size)
{
    return frame_write(buffer, buffer_size, "ACT DRAIN ", drain_open ? "OPEN" : "CLOSED");
}

bool protocol_serialize_debug(const char *text, char *buffer, size_t buffer_size)
{
    return frame_write(buffer, buffer_size, "DBG ", text);
}
