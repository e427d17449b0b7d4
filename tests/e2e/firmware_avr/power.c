/* Says what has outlived its start, changes it, and says when the EEPROM is done. */
#include <avr/eeprom.h>
#include <avr/io.h>
#include <util/delay.h>

#include "serial.h"

static uint8_t kept[4] __attribute__((section(".noinit")));

int main(void)
{
    serial_start();
    say_value("MCUSR", MCUSR);
    MCUSR = 0;
    say_value("RAM", kept[0] == 1 && kept[1] == 2 && kept[2] == 3 && kept[3] == 4);
    say_value("CELL", eeprom_read_byte((uint8_t *)7));
    for (uint8_t i = 0; i < 4; i++) kept[i] = i + 1;
    _delay_ms(10);
    eeprom_write_byte((uint8_t *)7, 42);
    eeprom_busy_wait();
    say("written\n");
    for (;;) { }
}
