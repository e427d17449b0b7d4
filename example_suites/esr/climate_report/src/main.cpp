// Reports the air's temperature and humidity; a lamp is lit while it is damp.
#include <Arduino.h>

#define DHT_PIN 7
int dampLed = 3;

static uint8_t bytes[5];

static bool readAir() {
  pinMode(DHT_PIN, OUTPUT);
  digitalWrite(DHT_PIN, LOW);
  delay(2);
  pinMode(DHT_PIN, INPUT_PULLUP);
  if (!pulseIn(DHT_PIN, HIGH, 2000)) return false;
  noInterrupts();
  for (uint8_t i = 0; i < 40; i++)
    bytes[i / 8] = bytes[i / 8] << 1 | (pulseIn(DHT_PIN, HIGH, 2000) > 45);
  interrupts();
  return uint8_t(bytes[0] + bytes[1] + bytes[2] + bytes[3]) == bytes[4];
}

void setup() {
  Serial.begin(9600);
  pinMode(dampLed, OUTPUT);
}

void loop() {
  if (readAir()) {
    int humidity = bytes[0] << 8 | bytes[1];
    int temperature = (bytes[2] & 0x7F) << 8 | bytes[3];
    Serial.print("T ");
    Serial.print((bytes[2] & 0x80 ? -temperature : temperature) / 10.0, 1);
    Serial.print(" H ");
    Serial.println(humidity / 10.0, 1);
    digitalWrite(dampLed, humidity > 600);
  }
  delay(200);
}
