#include "embedbench_shell.h"

#include "embedbench_port.h"

#include <string.h>

#define READ_SIZE 256U
#define READ_WAIT_MS 50U
#define LINE_SIZE 128U
#define HEARTBEAT_MS 1000U

static char line[LINE_SIZE];
static size_t line_length;

void shell_send(const char *text)
{
    port_uart_write((const uint8_t *)text, strlen(text));
}

void shell_send_if(bool fits, const char *text)
{
    if (fits) {
        shell_send(text);
    }
}

static void take_line(const shell_task_t *task)
{
    line[line_length] = '\0';
    if (line_length > 0 && task->take_line(line, port_now_ms())) {
        task->reply();
    }
    line_length = 0;
}

static void take_byte(const shell_task_t *task, char byte)
{
    if (byte == '\n') {
        take_line(task);
    } else if (byte == '\r') {
        return;
    } else if (line_length < LINE_SIZE - 1U) {
        line[line_length++] = byte;
    } else {
        line_length = 0;
        shell_send("DBG RX_LINE_TOO_LONG\n");
    }
}

void shell_run(const shell_task_t *task)
{
    static uint8_t received[READ_SIZE];
    uint32_t heartbeat_ms = port_now_ms() + HEARTBEAT_MS;

    task->start();
    shell_send("DBG BOOTED\n");
    shell_send(task->safe_lines);
    for (;;) {
        size_t count = port_uart_read(received, sizeof received, READ_WAIT_MS);
        uint32_t now_ms;

        for (size_t i = 0; i < count; i++) {
            take_byte(task, (char)received[i]);
        }
        if (task->idle(port_now_ms())) {
            task->reply();
        }
        now_ms = port_now_ms();
        if ((int32_t)(now_ms - heartbeat_ms) >= 0) {
            shell_send("DBG HEARTBEAT\n");
            heartbeat_ms = now_ms + HEARTBEAT_MS;
        }
    }
}
