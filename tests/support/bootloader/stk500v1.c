/*
 * A small STK500v1 bootloader for the ATmega328P at 16 MHz: what avrdude calls
 * "-c arduino". It lies in the 1 KiB boot section at 0x7C00 and is where the chip
 * starts after every reset (BOOTRST). After a press on the reset button it listens for
 * LISTEN_S seconds at 115200 baud; after any other reset it starts the application at
 * once.
 */
#include <avr/boot.h>
#include <avr/io.h>
#include <avr/pgmspace.h>
#include <avr/wdt.h>
#include <stdint.h>

enum {
  GET_SYNC = 0x30,
  GET_PARAMETER = 0x41,
  SET_DEVICE = 0x42,
  SET_DEVICE_EXT = 0x45,
  ENTER_PROGMODE = 0x50,
  LEAVE_PROGMODE = 0x51,
  LOAD_ADDRESS = 0x55,
  UNIVERSAL = 0x56,
  PROG_PAGE = 0x64,
  READ_PAGE = 0x74,
  READ_SIGN = 0x75,
  END_OF_COMMAND = 0x20,
  IN_SYNC = 0x14,
  OK = 0x10,
};

/* Looking for a byte once takes 13 cycles. */
#define LISTEN_LOOKS (LISTEN_S * F_CPU / 13)

/* By a reset, so that the application finds every register as after power-on. */
static void start_application(void) {
  wdt_enable(WDTO_15MS);
  for (;;) {
  }
}

static uint8_t get(void) {
  for (uint32_t looks = 0; !(UCSR0A & _BV(RXC0)); looks++)
    if (looks == LISTEN_LOOKS) start_application();
  return UDR0;
}

static void put(uint8_t byte) {
  while (!(UCSR0A & _BV(UDRE0))) {
  }
  UDR0 = byte;
}

static void skip(uint8_t count) {
  while (count--) get();
}

/* Every command ends with the same byte; anything else is noise, not ours. */
static uint8_t ended(void) {
  if (get() != END_OF_COMMAND) return 0;
  put(IN_SYNC);
  return 1;
}

static void write_page(uint16_t address, const uint8_t *data, uint16_t size) {
  boot_page_erase(address);
  boot_spm_busy_wait();
  for (uint16_t i = 0; i < size; i += 2)
    boot_page_fill(address + i, data[i] | (uint16_t)data[i + 1] << 8);
  boot_page_write(address);
  boot_spm_busy_wait();
  boot_rww_enable();
}

static void answer(void) {
  static uint16_t address;
  static uint8_t page[SPM_PAGESIZE];
  uint8_t command = get();
  switch (command) {
    case GET_PARAMETER: {
      uint8_t which = get();
      if (!ended()) return;
      put(which == 0x81 ? 1 : which == 0x82 ? 16 : 3);
      break;
    }
    case SET_DEVICE:
      skip(20);
      if (!ended()) return;
      break;
    case SET_DEVICE_EXT:
      skip(5);
      if (!ended()) return;
      break;
    case LOAD_ADDRESS: {
      uint8_t low = get();
      uint16_t word = low | (uint16_t)get() << 8;
      if (!ended()) return;
      address = word * 2;
      break;
    }
    case UNIVERSAL:
      skip(4);
      if (!ended()) return;
      put(0);
      break;
    case PROG_PAGE: {
      uint16_t size = (uint16_t)get() << 8;
      size |= get();
      uint8_t memory = get();
      for (uint16_t i = 0; i < size; i++) {
        uint8_t byte = get();
        if (i < sizeof page) page[i] = byte;
      }
      if (!ended()) return;
      if (memory == 'F' && address < BOOT_START && size <= sizeof page)
        write_page(address, page, size);
      break;
    }
    case READ_PAGE: {
      uint16_t size = (uint16_t)get() << 8;
      size |= get();
      get();
      if (!ended()) return;
      for (uint16_t i = 0; i < size; i++) put(pgm_read_byte(address + i));
      break;
    }
    case READ_SIGN:
      if (!ended()) return;
      put(SIGNATURE_0);
      put(SIGNATURE_1);
      put(SIGNATURE_2);
      break;
    case LEAVE_PROGMODE:
      if (!ended()) return;
      put(OK);
      while (!(UCSR0A & _BV(TXC0))) {
      }
      start_application();
      break;
    case GET_SYNC:
    case ENTER_PROGMODE:
      if (!ended()) return;
      break;
    default:
      return;
  }
  put(OK);
}

int main(void) {
  uint8_t pressed = MCUSR & _BV(EXTRF);
  MCUSR = 0;
  wdt_disable();
  if (!pressed) ((void (*)(void))0)();
  UCSR0A = _BV(U2X0);
  UBRR0 = F_CPU / 8 / 115200 - 1;
  UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
  UCSR0B = _BV(RXEN0) | _BV(TXEN0);
  for (;;) answer();
}
