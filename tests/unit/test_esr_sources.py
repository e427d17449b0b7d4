"""Pin constants of sketches: which there are, and how they are said otherwise."""

from __future__ import annotations

import pytest

from pytest_embedbench.bench.registry import Registry
from pytest_embedbench.esr.board_pins import BoardPins
from pytest_embedbench.esr.model import PinMove
from pytest_embedbench.esr.sources.constants import pin_constants
from pytest_embedbench.esr.sources.edits import Edit, corrections, edited, settled
from pytest_embedbench.esr.sources.pin_constant import SourceConstant
from pytest_embedbench.esr.uses import Uses

UNO = BoardPins(Registry().board("uno"))
MEGA = BoardPins(Registry().board("mega"))
FILE = "src/main.cpp"


def constants(text: str, pins: BoardPins = UNO) -> list[SourceConstant]:
    return list(pin_constants({FILE: text.encode()}, pins))


def said(text: str, pins: BoardPins = UNO) -> dict[str, str]:
    return {it.name: it.pin for it in constants(text, pins)}


def after(text: str, pin: str, to: str) -> str:
    edits = [Edit(it, to) for it in constants(text) if it.pin == pin]
    return edited({FILE: text.encode()}, edits, UNO)[FILE].decode()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#define LED 9 // red\nvoid f() { digitalWrite(LED, 1); }", {"LED": "9"}),
        ("const int n = 9; void f() { delay(n); pinMode(4, 1); }", {"pinMode()": "4"}),
        ("enum { A = 3 }; void f() { tone(A, 4); }", {"A": "3"}),
        (
            "int p[] = {2, A0}; void f(int i) { pinMode(p[i], OUTPUT); }",
            {"p[0]": "2", "p[1]": "A0"},
        ),
        (
            (
                "struct L { int pin; int ms; }; L l[] = {{5, 100}, {6, 7}};"
                "void f() { for (auto& one : l) digitalWrite(one.pin, 1); }"
            ),
            {"l[0].pin": "5", "l[1].pin": "6"},
        ),
        (
            (
                "class B { int p_; public: B(int p) : p_(p) {} "
                "int get() { return digitalRead(p_); } }; B stop(7);"
            ),
            {"stop": "7"},
        ),
        ("#define RS 12\nLiquidCrystal lcd(RS, EN_, 4);", {"RS": "12", "lcd(3)": "4"}),
        ("const int T = 4; DHT dht(T, DHT22);", {"T": "4"}),
        ("#define DATA 6\nDHT dht(DATA, DHT22);", {"DATA": "6"}),
        (
            "void on(int pin) { digitalWrite(pin, 1); } void f() { on(5); }",
            {"digitalWrite()": "5"},
        ),
        (
            "#define ON(p) digitalWrite(p, 1)\nvoid f() { ON(5); }",
            {"digitalWrite()": "5"},
        ),
        ("void f() { analogRead(2); }", {"analogRead()": "A2"}),
        ("int a = 16; void f() { analogRead(a); }", {"a": "A2"}),
        ("void f() { attachInterrupt(1, g, RISING); }", {"attachInterrupt()": "3"}),
        (
            "int b = 2; void f() { attachInterrupt(digitalPinToInterrupt(b), g, 3); }",
            {"b": "2"},
        ),
        ("void f() { digitalWrite(LED_BUILTIN, 1); }", {"digitalWrite()": "13"}),
        ("void f() { digitalWrite(D5, 1); digitalWrite(77, 1); }", {}),
        ("void f() { FastLED.addLeds<NEOPIXEL, 6>(leds, 3); }", {"addLeds<>()": "6"}),
        (
            "int g() { return 8; } void f() { digitalRead(g()); }",
            {"digitalRead()": "8"},
        ),
        (
            (
                "const int FIRST = 4; void f() { for (int i = 0; i < 3; i++)"
                " digitalWrite(FIRST + i, 1); }"
            ),
            {"FIRST": "4"},
        ),
    ],
)
def test_constants_are_found_wherever_they_are_written(
    text: str, expected: dict[str, str]
) -> None:
    found = said(text)
    assert {name: found.get(name) for name in expected} == expected
    assert len(found) == len(expected)


def test_numbers_of_analog_pins_are_those_of_the_board() -> None:
    text = "int a = 54; void f() { digitalWrite(a, 1); analogRead(15); }"
    assert said(text, MEGA) == {"a": "A0", "analogRead()": "A15"}
    assert said(text) == {"analogRead()": "A1"}


def test_a_constant_is_changed_where_it_stands_and_nowhere_else() -> None:
    text = "#define LED 9 // 9 is red\nvoid f() { digitalWrite(LED, 1); delay(9); }"
    assert after(text, "9", "10") == text.replace("LED 9 /", "LED 10 /")


def test_a_loop_over_pins_is_shifted_as_a_whole() -> None:
    text = "void f() { for (int i = 2; i < 9; i++) digitalWrite(i, 1); }"
    assert after(text, "2", "3") == text.replace("= 2; i < 9", "= 3; i < 10")


def test_pins_that_are_counted_from_one_go_together() -> None:
    text = """
    const int FIRST = 3; const int COUNT = 4;
    void f() { for (int i = 0; i < COUNT; i++) digitalWrite(FIRST + i, 1); }
    void g() { digitalWrite(6, 0); }"""
    first, other = constants(text)
    assert (first.span, other.span) == (("3", "4", "5", "6"), ())
    uses = Uses(constants=(first, other))
    assert not uses.can_say([PinMove("4", "5"), PinMove("5", "4")])
    assert uses.can_say([PinMove("6", "8")]), "it has a number of its own"
    assert uses.can_say([PinMove("3", "4"), PinMove("4", "5"), PinMove("5", "6")])


def test_a_number_of_an_interrupt_becomes_one_of_a_pin() -> None:
    text = "void f() { attachInterrupt(0, g, RISING); }"
    assert "attachInterrupt(digitalPinToInterrupt(3), g" in after(text, "2", "3")


def test_all_numbers_in_calls_go_together_apart_from_those_that_read() -> None:
    text = "void f() { pinMode(5, OUTPUT); digitalWrite(5, digitalRead(5)); }"
    drives, reads = constants(text)
    assert [len(drives.tokens), len(reads.tokens)] == [2, 1]


def test_a_correction_names_constant_file_and_line() -> None:
    (constant,) = constants("\n#define SERVO_PIN 9\nvoid f() { tone(SERVO_PIN, 4); }")
    (told,) = corrections([Edit(constant, "10")])
    assert str(told) == "SERVO_PIN 9 -> 10 (src/main.cpp:2)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            (
                "template <uint8_t P> struct L { void on() { digitalWrite(P, 1); } };"
                "L<9> red; L<6> green;"
            ),
            {"red": "9", "green": "6"},
        ),
        (
            (
                "template <int P> class K { bool is() { return digitalRead(P); } };"
                "const int STOP = 7; using Stop = K<STOP>; Stop stop;"
            ),
            {"STOP": "7"},
        ),
        (
            "template <int P> void on() { digitalWrite(P, 1); } void f() { on<5>(); }",
            {"digitalWrite()": "5"},
        ),
        (
            "enum { LED = 9, KEY }; void f() { tone(LED, 4); digitalRead(KEY); }",
            {"LED": "9", "KEY": "10"},
        ),
        (
            "enum class P { POT = A0, EYE, N }; void f() { analogRead(P::EYE); }",
            {"EYE": "A1"},
        ),
        (
            (
                "constexpr int A = 4; constexpr int B = A + 2;"
                "void f() { digitalRead(A); digitalWrite(B, 1); }"
            ),
            {"A": "4", "B": "6"},
        ),
        (
            (
                "const int LO = 4, END = 8;"
                "void f() { for (int i = LO; i < END; i++) pinMode(i, OUTPUT); }"
            ),
            {"LO": "4", "END": "7"},
        ),
        ("std::array<int, PIN_COUNT> a; enum { PIN_COUNT = 3 };", {}),
    ],
)
def test_pins_that_are_counted_and_given_to_templates_are_found(
    text: str, expected: dict[str, str]
) -> None:
    assert said(text) == expected


CHAIN = (
    "#define KEY 5\n#define HORN (KEY + 1)\n#define LAMP (HORN + 2)\n"
    "void f() { digitalRead(KEY); tone(HORN, 4); digitalWrite(LAMP, 1); }"
)
LIST = (
    "enum { LED = 9, KEY, HORN };"
    "void f() { tone(LED, 4); tone(HORN, 5); tone(KEY, 1); }"
)


@pytest.mark.parametrize(
    ("text", "moves", "then"),
    [
        (CHAIN, {"5": "4", "6": "5", "8": "7"}, {"KEY 5": "KEY 4"}),
        (CHAIN, {"5": "4"}, {"KEY 5": "KEY 4", "KEY + 1": "6"}),
        (CHAIN, {"6": "9"}, {"KEY + 1": "9", "HORN + 2": "8"}),
        (LIST, {"9": "3"}, {"= 9, KEY": "= 3, KEY = 10"}),
        (LIST, {"10": "3"}, {"KEY, HORN": "KEY = 3, HORN = 11"}),
        (LIST, {"9": "5", "10": "6", "11": "7"}, {"= 9": "= 5"}),
        (LIST, {"9": "10", "10": "9"}, {"= 9, KEY, HORN": "= 10, KEY = 9, HORN = 11"}),
    ],
)
def test_what_is_counted_from_a_constant_goes_along_or_stays(
    text: str, moves: dict[str, str], then: dict[str, str]
) -> None:
    found = constants(text)
    edits = [Edit(it, moves[it.pin]) for it in found if it.pin in moves]
    made, kept = settled(edits, found, UNO)
    after = edited({FILE: text.encode()}, (*made, *kept), UNO)[FILE].decode()
    for old, new in then.items():
        text = text.replace(old, new, 1)
    assert after == text


def test_a_named_end_of_a_loop_stays_one_beyond_the_last_pin() -> None:
    text = (
        "const int LO = 4, END = 8;"
        "void f() { for (int i = LO; i < END; i++) pinMode(i, OUTPUT); }"
    )
    assert after(text, "7", "9") == text.replace("END = 8", "END = 10")
