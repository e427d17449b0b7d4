"""What parts do, by type: small models, each written against its datasheet.

None asks whether it has power: that is seen in the drawing alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.parts.models.a4988 import StepperDriver
from pytest_embedbench.parts.models.buzzer import Buzzer
from pytest_embedbench.parts.models.character_lcd import lcd1602, lcd2004
from pytest_embedbench.parts.models.clock_generator import ClockGenerator
from pytest_embedbench.parts.models.ds18b20 import Thermometer
from pytest_embedbench.parts.models.ds1307 import Ds1307
from pytest_embedbench.parts.models.encoder import RotaryEncoder
from pytest_embedbench.parts.models.flow_sensor import FlowSensor
from pytest_embedbench.parts.models.gas import GasSensor
from pytest_embedbench.parts.models.hx711 import LoadCell
from pytest_embedbench.parts.models.hygrometers import dht11, dht22
from pytest_embedbench.parts.models.ili9341 import ColourDisplay
from pytest_embedbench.parts.models.infrared import InfraredReceiver, RemoteControl
from pytest_embedbench.parts.models.joystick import AnalogJoystick
from pytest_embedbench.parts.models.keypad import MembraneKeypad
from pytest_embedbench.parts.models.led import Led, LedBarGraph, RgbLed
from pytest_embedbench.parts.models.max7219 import Max7219Matrix
from pytest_embedbench.parts.models.mosfet import Mosfet
from pytest_embedbench.parts.models.motion import MotionSensor
from pytest_embedbench.parts.models.mpu6050 import Mpu6050
from pytest_embedbench.parts.models.oled import board_oled, older_oled
from pytest_embedbench.parts.models.pixels import Pixel, PixelMatrix
from pytest_embedbench.parts.models.potentiometer import Potentiometer
from pytest_embedbench.parts.models.push_button import PushButton
from pytest_embedbench.parts.models.relay import ks2e, relay_module
from pytest_embedbench.parts.models.resistive import Photoresistor, Thermistor
from pytest_embedbench.parts.models.sd_card import SdCard
from pytest_embedbench.parts.models.servo import hs311, sg90
from pytest_embedbench.parts.models.seven_segment import SevenSegment
from pytest_embedbench.parts.models.shift_register import ShiftRegister
from pytest_embedbench.parts.models.slides import DipSwitch, SlideSwitch
from pytest_embedbench.parts.models.steppers import bipolar, geared
from pytest_embedbench.parts.models.tm1637 import ClockDisplay
from pytest_embedbench.parts.models.uln2003 import DarlingtonArray
from pytest_embedbench.parts.models.ultrasonic import UltrasonicRanger

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_embedbench.wiring.part_model import MakeModel

MODELS: Mapping[str, MakeModel] = {
    "board-ds18b20": Thermometer,
    "board-ssd1306": board_oled,
    "embedbench-28byj-48": geared,
    "embedbench-dht11": dht11,
    "embedbench-flow-sensor": FlowSensor,
    "embedbench-hs-311": hs311,
    "embedbench-mosfet": Mosfet,
    "embedbench-uln2003": DarlingtonArray,
    "wokwi-74hc595": ShiftRegister,
    "wokwi-7segment": SevenSegment,
    "wokwi-a4988": StepperDriver,
    "wokwi-analog-joystick": AnalogJoystick,
    "wokwi-buzzer": Buzzer,
    "wokwi-clock-generator": ClockGenerator,
    "wokwi-dht22": dht22,
    "wokwi-dip-switch-8": DipSwitch,
    "wokwi-ds1307": Ds1307,
    "wokwi-ds18b20": Thermometer,
    "wokwi-gas-sensor": GasSensor,
    "wokwi-hc-sr04": UltrasonicRanger,
    "wokwi-hx711": LoadCell,
    "wokwi-ili9341": ColourDisplay,
    "wokwi-ir-receiver": InfraredReceiver,
    "wokwi-ir-remote": RemoteControl,
    "wokwi-ks2e-m-dc5": ks2e,
    "wokwi-ky-040": RotaryEncoder,
    "wokwi-lcd1602": lcd1602,
    "wokwi-lcd2004": lcd2004,
    "wokwi-led": Led,
    "wokwi-led-bar-graph": LedBarGraph,
    "wokwi-led-matrix": PixelMatrix,
    "wokwi-led-ring": Pixel,
    "wokwi-led-strip": Pixel,
    "wokwi-max7219-matrix": Max7219Matrix,
    "wokwi-membrane-keypad": MembraneKeypad,
    "wokwi-microsd-card": SdCard,
    "wokwi-mpu6050": Mpu6050,
    "wokwi-neopixel": Pixel,
    "wokwi-neopixel-canvas": PixelMatrix,
    "wokwi-neopixel-matrix": PixelMatrix,
    "wokwi-ntc-temperature-sensor": Thermistor,
    "wokwi-photoresistor-sensor": Photoresistor,
    "wokwi-pir-motion-sensor": MotionSensor,
    "wokwi-potentiometer": Potentiometer,
    "wokwi-pushbutton": PushButton,
    "wokwi-pushbutton-6mm": PushButton,
    "wokwi-relay-module": relay_module,
    "wokwi-rgb-led": RgbLed,
    "wokwi-servo": sg90,
    "wokwi-slide-potentiometer": Potentiometer,
    "wokwi-slide-switch": SlideSwitch,
    "wokwi-ssd1306": older_oled,
    "wokwi-stepper-motor": bipolar,
    "wokwi-tm1637-7segment": ClockDisplay,
}
"""Who makes a model of a type."""
