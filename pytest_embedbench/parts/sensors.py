"""What measures its surroundings."""

from __future__ import annotations

from pytest_embedbench.parts.shorthand import POWERED, number, pins, text, word
from pytest_embedbench.wiring.part_type import (
    NamedBy,
    PartControl,
    PartType,
    PinRole,
)

_OUR_TEMPERATURE = PartControl(-55, 125, "C", NamedBy.US)


def _dht(
    name: str, title: str, named_by: NamedBy, temperature_c: tuple[int, int]
) -> PartType:
    return PartType(
        name=name,
        title=title,
        pins=(*POWERED, *pins(PinRole.BOTH, "SDA"), *pins(PinRole.UNUSED, "NC")),
        attrs={
            "temperature": number("24", *temperature_c),
            "humidity": number("40", 0, 100),
        },
        controls={
            "temperature": PartControl(*temperature_c, "C", named_by),
            "humidity": PartControl(0, 100, "%", named_by),
        },
        observables={"readings": "how many it has sent"},
    )


def _ds18b20(name: str) -> PartType:
    return PartType(
        name=name,
        title="Thermometer DS18B20, 1-Wire",
        pins=(*POWERED, *pins(PinRole.OPEN_DRAIN, "DQ")),
        attrs={
            "temperature": number("22", -55, 125),
            "deviceID": text("010203040506"),
            "familyCode": text("28"),
        },
        controls={"temperature": PartControl(-55, 125, "C")},
        observables={"measured_c": "C, what it has measured last"},
    )


SENSORS = (
    PartType(
        name="wokwi-pir-motion-sensor",
        title="PIR motion sensor",
        pins=(*POWERED, *pins(PinRole.OUTPUT, "OUT")),
        attrs={
            "delayTime": number("5", lowest=0),
            "inhibitTime": number("1.2", lowest=0),
            "retrigger": text(),
        },
        controls={"motion": PartControl(0, 1, named_by=NamedBy.US)},
    ),
    PartType(
        name="wokwi-photoresistor-sensor",
        title="Photoresistor module",
        pins=(*POWERED, *pins(PinRole.OUTPUT, "DO AO")),
        attrs={
            "lux": number("500", lowest=0),
            "threshold": number("2.5", 0, 5),
            "rl10": number("50", lowest=0),
            "gamma": number("0.7", lowest=0),
        },
        controls={"lux": PartControl(0.1, 100_000, "lx")},
    ),
    PartType(
        name="wokwi-ntc-temperature-sensor",
        title="Thermistor module, NTC",
        pins=(*POWERED, *pins(PinRole.OUTPUT, "OUT")),
        attrs={"temperature": number("24", -55, 125), "beta": number("3950", 1)},
        controls={"temperature": _OUR_TEMPERATURE},
    ),
    PartType(
        name="wokwi-gas-sensor",
        title="Gas sensor MQ-2",
        pins=(*POWERED, *pins(PinRole.OUTPUT, "DOUT AOUT")),
        aliases={"DO": "DOUT", "AO": "AOUT"},
        attrs={"ppm": number("400", lowest=0), "threshold": number("4.4", 0, 5)},
        controls={"ppm": PartControl(0, 100_000, "ppm", NamedBy.US)},
    ),
    PartType(
        name="wokwi-hc-sr04",
        title="Ultrasonic ranger HC-SR04",
        pins=(
            *POWERED,
            *pins(PinRole.INPUT, "TRIG"),
            *pins(PinRole.OUTPUT, "ECHO"),
        ),
        attrs={"distance": number("400", 2, 400)},
        controls={"distance": PartControl(2, 400, "cm", NamedBy.USAGE)},
    ),
    _dht("wokwi-dht22", "Hygrometer DHT22", NamedBy.USAGE, (-40, 80)),
    _dht("embedbench-dht11", "Hygrometer DHT11", NamedBy.US, (0, 50)),
    _ds18b20("board-ds18b20"),
    _ds18b20("wokwi-ds18b20"),
    PartType(
        name="wokwi-mpu6050",
        title="Accelerometer and gyroscope MPU-6050, I2C",
        pins=(
            *POWERED,
            *pins(PinRole.BOTH, "SDA SCL"),
            *pins(PinRole.PULLED, "AD0"),
            *pins(PinRole.OUTPUT, "INT"),
            *pins(PinRole.UNUSED, "XDA XCL"),
        ),
        attrs={
            "accelX": number("0", -16, 16),
            "accelY": number("0", -16, 16),
            "accelZ": number("1", -16, 16),
            "rotationX": number("0", -2000, 2000),
            "rotationY": number("0", -2000, 2000),
            "rotationZ": number("0", -2000, 2000),
            "temperature": number("24", -40, 85),
        },
        controls={
            **{f"accel{axis}": PartControl(-16, 16, "g") for axis in "XYZ"},
            **{f"rotation{axis}": PartControl(-2000, 2000, "deg/s") for axis in "XYZ"},
            "temperature": PartControl(-40, 85, "C"),
        },
    ),
    PartType(
        name="wokwi-hx711",
        title="Load cell with HX711",
        pins=(
            *POWERED,
            *pins(PinRole.OUTPUT, "DT"),
            *pins(PinRole.INPUT, "SCK"),
        ),
        attrs={
            "type": text("50kg"),
            "weight": number("0", lowest=0),
            "rate": word("10", "80"),
        },
        controls={"load": PartControl(0, 19_972, "kg")},
        observables={
            "is_on": "whether SCK lets it work",
            "gain": "128, 64 or 32 (channel B), as asked for last",
        },
    ),
)
