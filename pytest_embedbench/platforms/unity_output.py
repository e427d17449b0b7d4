"""SCons script, run first when unit tests are built: where Unity's output goes.

As PlatformIO has it for Arduino, ESP-IDF and others. Beyond that, what is built with
``embedbench_port`` speaks over its UART, and bare AVRs over USART 0.
"""

from platformio.test.runners.unity import UnityTestRunner
from SCons.Script import DefaultEnvironment

DECLARED = """
#include <stddef.h>
#include <stdint.h>
void port_uart_write(const uint8_t *data, size_t length)%s;
static void port_put(unsigned int c)
{
    uint8_t byte = (uint8_t)c;

    port_uart_write(&byte, 1);
}
"""
IF_LINKED = DECLARED % " __attribute__((weak))"
NATIVE = f"""
#include <stdio.h>
{IF_LINKED}
void unityOutputStart(unsigned long baudrate) {{ (void)baudrate; }}
void unityOutputChar(unsigned int c)
{{
    if (port_uart_write) {{
        port_put(c);
    }} else {{
        putchar((int)c);
    }}
}}
void unityOutputFlush(void) {{ fflush(stdout); }}
void unityOutputComplete(void) {{ }}
"""
AVR = f"""
#include <avr/io.h>
{IF_LINKED}
void unityOutputStart(unsigned long baudrate)
{{
    if (!port_uart_write) {{
        UCSR0A = 1 << U2X0;
        UBRR0 = (uint16_t)((F_CPU / 4 / baudrate - 1) / 2);
        UCSR0B |= 1 << TXEN0;
    }}
}}
void unityOutputChar(unsigned int c)
{{
    if (port_uart_write) {{
        port_put(c);
        return;
    }}
    while (!(UCSR0A & (1 << UDRE0))) {{
    }}
    UCSR0A |= 1 << TXC0;
    UDR0 = (uint8_t)c;
}}
void unityOutputFlush(void)
{{
    while (!port_uart_write && !(UCSR0A & (1 << TXC0))) {{
    }}
}}
void unityOutputComplete(void) {{ }}
"""
OTHERS = f"""
{DECLARED % ""}
void unityOutputStart(unsigned long baudrate) {{ (void)baudrate; }}
void unityOutputChar(unsigned int c) {{ port_put(c); }}
void unityOutputFlush(void) {{ }}
void unityOutputComplete(void) {{ }}
"""

env = DefaultEnvironment()
stock = UnityTestRunner.get_unity_framework_config


def where_output_goes(runner):
    """Return a configuration for a build without a framework, or PlatformIO's own."""
    if not runner.platform.is_embedded():
        return {"code": NATIVE, "language": "c"}
    section = f"env:{runner.test_suite.env_name}"
    custom = runner.project_config.get(section, "test_transport", None)
    if env.get("PIOFRAMEWORK") or custom:
        return stock(runner)
    code = AVR if env["PIOPLATFORM"] == "atmelavr" else OTHERS
    return {"code": code, "language": "c"}


UnityTestRunner.get_unity_framework_config = where_output_goes
