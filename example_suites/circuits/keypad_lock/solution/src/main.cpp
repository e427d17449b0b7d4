// The reference: a scan every 5 ms, a display by 4 bits, and a state with an end.
#include <Arduino.h>

static const uint8_t ROWS[] = {9, 8, 7, 6};
static const uint8_t COLUMNS[] = {5, 4, 3, 2};
static const char KEYS[4][5] = {"123A", "456B", "789C", "*0#D"};
static const uint8_t RS = 12;
static const uint8_t ENABLE = 11;
static const uint8_t DATA[] = {A0, A1, A2, A3};
static const uint8_t OPEN_LAMP = 13;
static const uint8_t LOCKED_LAMP = 10;
static const char PIN[] = "4711";
static const uint8_t MOST_DIGITS = 8;
static const uint8_t MOST_TRIES = 3;
static const uint32_t SCAN_MS = 5;
static const uint8_t SCANS = 4;

enum State { ENTRY, OPEN, WRONG, LOCKED };

static State state;
static uint32_t state_ends_ms;
static char entry[MOST_DIGITS + 1];
static uint8_t digits;
static uint8_t wrong_tries;

// ------------------------------------------------------------------------- display
static void send_nibble(uint8_t nibble)
{
    for (uint8_t i = 0; i < 4; i++) {
        digitalWrite(DATA[i], nibble >> i & 1);
    }
    digitalWrite(ENABLE, HIGH);
    delayMicroseconds(1);
    digitalWrite(ENABLE, LOW);
    delayMicroseconds(1);
}

static void send(uint8_t value, bool is_text)
{
    digitalWrite(RS, is_text);
    send_nibble(value >> 4);
    send_nibble(value & 0xF);
    delayMicroseconds(50);
}

static void begin_display()
{
    pinMode(RS, OUTPUT);
    pinMode(ENABLE, OUTPUT);
    for (uint8_t i = 0; i < 4; i++) {
        pinMode(DATA[i], OUTPUT);
    }
    delay(50);
    digitalWrite(RS, LOW);
    for (uint8_t i = 0; i < 3; i++) {
        send_nibble(0x3);
        delay(5);
    }
    send_nibble(0x2);
    delayMicroseconds(50);
    send(0x28, false); // 4 bits, two rows
    send(0x0C, false); // on, without a cursor
    send(0x06, false);
    send(0x01, false);
    delay(2);
}

static void show(const char *text, uint8_t stars)
{
    send(0x80, false);
    for (uint8_t i = 0; i < 16; i++) {
        char letter = *text ? *text++ : stars ? stars--, '*' : ' ';
        send(letter, true);
    }
}

// -------------------------------------------------------------------------- keypad
static char key_down()
{
    char found = 0;

    for (uint8_t row = 0; row < 4; row++) {
        pinMode(ROWS[row], OUTPUT);
        digitalWrite(ROWS[row], LOW);
        delayMicroseconds(5);
        for (uint8_t column = 0; column < 4; column++) {
            if (digitalRead(COLUMNS[column]) == LOW) {
                found = KEYS[row][column];
            }
        }
        pinMode(ROWS[row], INPUT);
    }
    return found;
}

// A key, once, after it was down for some scans; 0 if there is none.
static char pressed_key()
{
    static char seen, taken;
    static uint8_t scans;

    char key = key_down();
    if (key != seen) {
        seen = key;
        scans = 0;
    }
    if (scans < SCANS && ++scans == SCANS && seen != taken) {
        taken = seen;
        return taken;
    }
    return 0;
}

// ---------------------------------------------------------------------------- lock
static void enter(State next, uint32_t lasts_ms)
{
    state = next;
    state_ends_ms = millis() + lasts_ms;
    digits = 0;
    entry[0] = 0;
    digitalWrite(OPEN_LAMP, state == OPEN);
    digitalWrite(LOCKED_LAMP, state == LOCKED);
    show(state == OPEN ? "OPEN" : state == WRONG ? "WRONG" : state == LOCKED ? "LOCKED" : "PIN: ",
         0);
}

static void check_entry()
{
    if (strcmp(entry, PIN) == 0) {
        wrong_tries = 0;
        enter(OPEN, 2000);
    } else if (++wrong_tries < MOST_TRIES) {
        enter(WRONG, 1000);
    } else {
        wrong_tries = 0;
        enter(LOCKED, 3000);
    }
}

static void take_key(char key)
{
    if (key == '*') {
        enter(ENTRY, 0);
    } else if (key == '#') {
        if (digits) {
            check_entry();
        }
    } else if (isDigit(key) && digits < MOST_DIGITS) {
        entry[digits++] = key;
        entry[digits] = 0;
        show("PIN: ", digits);
    }
}

void setup()
{
    pinMode(OPEN_LAMP, OUTPUT);
    pinMode(LOCKED_LAMP, OUTPUT);
    for (uint8_t i = 0; i < 4; i++) {
        pinMode(COLUMNS[i], INPUT_PULLUP);
    }
    begin_display();
    enter(ENTRY, 0);
}

void loop()
{
    delay(SCAN_MS);
    char key = pressed_key();

    if (state != ENTRY) {
        if ((int32_t)(millis() - state_ends_ms) >= 0) {
            enter(ENTRY, 0);
        }
    } else if (key) {
        take_key(key);
    }
}
