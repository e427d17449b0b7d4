// The mistake: what the thermometer says has a sign, and here it has none.
#include <Arduino.h>
#include <SPI.h>

const uint8_t THERMOMETER = 2;
const uint8_t CARD = 10;
const unsigned long PERIOD_MS = 125;
const char NAME[] = "LOG     CSV";
const char HEADER[] = "seconds,celsius,lowest,highest\n";

// ------------------------------------------------------------------------------- 1-Wire
static void hold_low(unsigned int us) {
  pinMode(THERMOMETER, OUTPUT);
  delayMicroseconds(us);
  pinMode(THERMOMETER, INPUT);
}

static bool reset_wire() {
  hold_low(500);
  delayMicroseconds(70);
  bool is_there = digitalRead(THERMOMETER) == LOW;
  delayMicroseconds(430);
  return is_there;
}

static void write_wire(uint8_t byte) {
  for (uint8_t i = 0; i < 8; i++) {
    bool is_one = byte >> i & 1;
    noInterrupts();
    hold_low(is_one ? 3 : 65);
    interrupts();
    delayMicroseconds(is_one ? 65 : 5);
  }
}

static uint8_t read_wire() {
  uint8_t byte = 0;
  for (uint8_t i = 0; i < 8; i++) {
    noInterrupts();
    hold_low(2);
    delayMicroseconds(2);
    byte |= (digitalRead(THERMOMETER) == HIGH) << i;
    interrupts();
    delayMicroseconds(60);
  }
  return byte;
}

static uint8_t checksum(const uint8_t *bytes, uint8_t count) {
  uint8_t sum = 0;
  while (count--) {
    sum ^= *bytes++;
    for (uint8_t i = 0; i < 8; i++) sum = sum & 1 ? sum >> 1 ^ 0x8C : sum >> 1;
  }
  return sum;
}

// Nine bits are enough: half degrees, in 94 ms.
static void set_up_thermometer() {
  reset_wire();
  write_wire(0xCC);
  write_wire(0x4E);
  write_wire(0x4B);
  write_wire(0x46);
  write_wire(0x1F);
}

static void begin_to_measure() {
  reset_wire();
  write_wire(0xCC);
  write_wire(0x44);
}

// What was measured, in half degrees; says whether it could be read.
static bool read_half_degrees(int *half_degrees) {
  uint8_t memory[9];
  if (!reset_wire()) return false;
  write_wire(0xCC);
  write_wire(0xBE);
  for (uint8_t i = 0; i < sizeof memory; i++) memory[i] = read_wire();
  if (checksum(memory, 8) != memory[8]) return false;
  uint16_t sixteenths = memory[1] << 8 | memory[0];
  *half_degrees = sixteenths >> 3;
  return true;
}

// ------------------------------------------------------------------------- blocks of a card
static uint8_t block[512];
static bool counts_blocks = false;  // addresses are of blocks, not of bytes

static uint8_t await_other_than(uint8_t byte) {
  uint8_t got = byte;
  for (unsigned int i = 0; i < 50000 && got == byte; i++) got = SPI.transfer(0xFF);
  return got;
}

static uint8_t command(uint8_t number, uint32_t argument, uint8_t crc = 0xFF) {
  digitalWrite(CARD, HIGH);
  SPI.transfer(0xFF);
  digitalWrite(CARD, LOW);
  SPI.transfer(0xFF);
  SPI.transfer(0x40 | number);
  for (int8_t shift = 24; shift >= 0; shift -= 8) SPI.transfer(argument >> shift);
  SPI.transfer(crc);
  return await_other_than(0xFF);
}

static bool open_card() {
  SPI.beginTransaction(SPISettings(250000, MSBFIRST, SPI_MODE0));
  for (uint8_t i = 0; i < 10; i++) SPI.transfer(0xFF);
  if (command(0, 0, 0x95) != 1) return false;
  command(8, 0x1AA, 0x87);
  for (uint8_t i = 0; i < 4; i++) SPI.transfer(0xFF);
  unsigned long began_ms = millis();
  do {
    command(55, 0);
    if (millis() - began_ms > 1000) return false;
  } while (command(41, 0x40000000UL) != 0);
  if (command(58, 0) != 0) return false;
  counts_blocks = SPI.transfer(0xFF) & 0x40;
  for (uint8_t i = 0; i < 3; i++) SPI.transfer(0xFF);
  bool is_ready = counts_blocks || command(16, 512) == 0;
  SPI.endTransaction();
  SPI.beginTransaction(SPISettings(8000000, MSBFIRST, SPI_MODE0));
  return is_ready;
}

static uint32_t address(uint32_t number) { return counts_blocks ? number : number * 512; }

static void read_block(uint32_t number) {
  command(17, address(number));
  await_other_than(0xFF);
  for (unsigned int i = 0; i < 512; i++) block[i] = SPI.transfer(0xFF);
  SPI.transfer(0xFF);
  SPI.transfer(0xFF);
  digitalWrite(CARD, HIGH);
}

static void write_block(uint32_t number) {
  command(24, address(number));
  SPI.transfer(0xFF);
  SPI.transfer(0xFE);
  for (unsigned int i = 0; i < 512; i++) SPI.transfer(block[i]);
  SPI.transfer(0xFF);
  SPI.transfer(0xFF);
  SPI.transfer(0xFF);
  await_other_than(0x00);
  digitalWrite(CARD, HIGH);
}

// -------------------------------------------------------------------------- one file, FAT16
static uint32_t fat_at, root_at, data_at, blocks_per_fat;
static uint8_t blocks_per_cluster, fats;
static uint32_t entry_at;  // the block of the file's entry
static unsigned int entry_offset;
static uint16_t first_cluster = 0, last_cluster = 0;
static uint32_t size = 0;

static uint16_t word_at(unsigned int offset) { return block[offset] | block[offset + 1] << 8; }

static void set_word(unsigned int offset, uint16_t word) {
  block[offset] = word;
  block[offset + 1] = word >> 8;
}

static void find_entry(unsigned int entries) {
  bool is_free_known = false;
  for (unsigned int i = 0; i < entries; i++) {
    unsigned int offset = i % 16 * 32;
    if (offset == 0) read_block(root_at + i / 16);
    bool is_ours = memcmp(block + offset, NAME, 11) == 0;
    bool is_free = block[offset] == 0x00 || block[offset] == 0xE5;
    if (is_ours || (is_free && !is_free_known)) {
      entry_at = root_at + i / 16;
      entry_offset = offset;
      is_free_known = true;
    }
    if (is_ours) {
      first_cluster = last_cluster = word_at(offset + 26);
      size = word_at(offset + 28) | uint32_t(word_at(offset + 30)) << 16;
    }
    if (is_ours || block[offset] == 0x00) return;
  }
}

static void open_file() {
  read_block(0);
  uint32_t begin = word_at(0x1C6) | uint32_t(word_at(0x1C8)) << 16;
  read_block(begin);
  blocks_per_cluster = block[13];
  fats = block[16];
  blocks_per_fat = word_at(22);
  fat_at = begin + word_at(14);
  root_at = fat_at + fats * blocks_per_fat;
  unsigned int entries = word_at(17);
  data_at = root_at + entries / 16;
  find_entry(entries);
  while (first_cluster) {
    read_block(fat_at + last_cluster / 256);
    uint16_t next = word_at(last_cluster % 256 * 2);
    if (next >= 0xFFF8) break;
    last_cluster = next;
  }
}

static void link(uint16_t cluster, uint16_t next) {
  for (uint8_t fat = 0; fat < fats; fat++) {
    uint32_t at = fat_at + fat * blocks_per_fat + cluster / 256;
    read_block(at);
    set_word(cluster % 256 * 2, next);
    write_block(at);
  }
}

// Give the file one more cluster; says whether there was one.
static bool grow() {
  for (uint16_t cluster = 2; cluster < blocks_per_fat * 256; cluster++) {
    if (cluster == 2 || cluster % 256 == 0) read_block(fat_at + cluster / 256);
    if (word_at(cluster % 256 * 2)) continue;
    link(cluster, 0xFFFF);
    if (last_cluster) link(last_cluster, cluster);
    if (!first_cluster) first_cluster = cluster;
    last_cluster = cluster;
    return true;
  }
  return false;
}

static void write_entry() {
  read_block(entry_at);
  uint8_t *entry = block + entry_offset;
  memset(entry, 0, 32);
  memcpy(entry, NAME, 11);
  entry[11] = 0x20;
  set_word(entry_offset + 24, 0x21);  // 1980-01-01
  set_word(entry_offset + 26, first_cluster);
  set_word(entry_offset + 28, size);
  set_word(entry_offset + 30, size >> 16);
  write_block(entry_at);
}

// The text counts once its entry is written: whoever cuts the power finds whole lines.
static void append(const char *text) {
  while (*text) {
    unsigned int offset = size % 512;
    uint32_t in_cluster = size / 512 % blocks_per_cluster;
    if (offset == 0 && in_cluster == 0 && !grow()) return;
    uint32_t at = data_at + (last_cluster - 2UL) * blocks_per_cluster + in_cluster;
    if (offset) {
      read_block(at);
    } else {
      memset(block, 0, sizeof block);
    }
    while (*text && offset < 512) {
      block[offset++] = *text++;
      size++;
    }
    write_block(at);
  }
  write_entry();
}

// ------------------------------------------------------------------------------- the logger
static char *put_half_degrees(char *to, int half_degrees) {
  const char *sign = half_degrees < 0 ? "-" : "";
  int tenths = abs(half_degrees) * 5;
  return to + sprintf(to, ",%s%d.%d", sign, tenths / 10, tenths % 10);
}

static void log_line(unsigned long at_ms, int half_degrees) {
  static int lowest = 32767, highest = -32768;
  lowest = min(lowest, half_degrees);
  highest = max(highest, half_degrees);
  char line[48];
  char *end = line + sprintf(line, "%lu.%03lu", at_ms / 1000, at_ms % 1000);
  end = put_half_degrees(end, half_degrees);
  end = put_half_degrees(end, lowest);
  end = put_half_degrees(end, highest);
  strcpy(end, "\n");
  append(line);
}

static unsigned long due_ms = PERIOD_MS;

void setup() {
  pinMode(CARD, OUTPUT);
  digitalWrite(CARD, HIGH);
  SPI.begin();
  set_up_thermometer();
  begin_to_measure();
  while (!open_card()) {
  }
  open_file();
  if (size == 0) append(HEADER);
}

void loop() {
  if (long(millis() - due_ms) < 0) return;
  int half_degrees;
  bool is_known = read_half_degrees(&half_degrees);
  begin_to_measure();
  if (is_known) log_line(due_ms, half_degrees);
  due_ms += PERIOD_MS;
}
