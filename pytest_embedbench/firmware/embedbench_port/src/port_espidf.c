/* ESP-IDF: the UART driver and one FreeRTOS task. The console shares the UART. */
#if defined(ESP_PLATFORM) && !defined(ARDUINO)

#include "embedbench_port.h"

#include "driver/uart.h"
#include "freertos/FreeRTOS.h"
#include "freertos/task.h"

#ifndef BAUD
#define BAUD 115200
#endif
#define UART UART_NUM_0
#define RX_RING_SIZE 512
#define TASK_STACK_BYTES 4096
#define TASK_PRIORITY 5

uint32_t port_now_ms(void)
{
    uint32_t now_ms = (uint32_t)(xTaskGetTickCount() * portTICK_PERIOD_MS);

    return now_ms / PORT_TICK_MS * PORT_TICK_MS;
}

size_t port_uart_read(uint8_t *buffer, size_t capacity, uint32_t timeout_ms)
{
    int count = uart_read_bytes(UART, buffer, capacity, pdMS_TO_TICKS(timeout_ms));

    return count > 0 ? (size_t)count : 0U;
}

void port_uart_write(const uint8_t *data, size_t length)
{
    uart_write_bytes(UART, data, length);
}

void port_delay_ms(uint32_t duration_ms)
{
    vTaskDelay(pdMS_TO_TICKS(duration_ms));
}

static void run(void *unused)
{
    (void)unused;
    firmware_main();
    vTaskDelete(NULL);
}

void app_main(void)
{
    const uart_config_t config = {
        .baud_rate = BAUD,
        .data_bits = UART_DATA_8_BITS,
        .parity = UART_PARITY_DISABLE,
        .stop_bits = UART_STOP_BITS_1,
        .flow_ctrl = UART_HW_FLOWCTRL_DISABLE,
        .source_clk = UART_SCLK_DEFAULT,
    };

    ESP_ERROR_CHECK(uart_driver_install(UART, RX_RING_SIZE, 0, 0, NULL, 0));
    ESP_ERROR_CHECK(uart_param_config(UART, &config));
    ESP_ERROR_CHECK(uart_set_pin(UART, UART_PIN_NO_CHANGE, UART_PIN_NO_CHANGE,
                                 UART_PIN_NO_CHANGE, UART_PIN_NO_CHANGE));
    xTaskCreate(run, "firmware", TASK_STACK_BYTES, NULL, TASK_PRIORITY, NULL);
}

#endif
