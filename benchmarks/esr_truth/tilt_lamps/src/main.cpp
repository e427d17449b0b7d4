// A level: the lamp on the side that is lower is lit, by an accelerometer.
#include <Arduino.h>
#include <Wire.h>

#define IMU 0x68
#define LEFT_LED 12
#define RIGHT_LED 8

void setup() {
  pinMode(LEFT_LED, OUTPUT);
  pinMode(RIGHT_LED, OUTPUT);
  Wire.begin();
  Wire.beginTransmission(IMU);
  Wire.write(0x6B);
  Wire.write(0);
  Wire.endTransmission();
}

void loop() {
  Wire.beginTransmission(IMU);
  Wire.write(0x3B);
  Wire.endTransmission(false);
  Wire.requestFrom(IMU, 2);
  int high = Wire.read(), low = Wire.read();
  int x = high << 8 | low;
  digitalWrite(LEFT_LED, x < -2000);
  digitalWrite(RIGHT_LED, x > 4000);
  delay(10);
}
