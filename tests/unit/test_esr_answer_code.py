"""What of an answer is code, whatever is round it."""

from __future__ import annotations

import pytest

from pytest_embedbench.esr.answer_code import NO_CODE, PROGRAM, SKETCH, code_of

WHOLE = "void setup() {}\nvoid loop() {}\n"
OTHER = "int led = 3;\nvoid setup() {}\nvoid loop() {}\n"


def fenced(text: str, info: str = "cpp") -> str:
    return f"```{info}\n{text}```\n"


@pytest.mark.parametrize(
    ("answer", "files"),
    [
        (WHOLE, {SKETCH: WHOLE}),
        (f"Here you are:\n\n{fenced(WHOLE)}\nHave fun!", {SKETCH: WHOLE}),
        (fenced(WHOLE, ""), {SKETCH: WHOLE}),
        (fenced(WHOLE, "C++ {.numbers}"), {SKETCH: WHOLE}),
        (fenced(WHOLE).replace("\n", "\r\n"), {SKETCH: WHOLE}),
        (f"~~~arduino\n{WHOLE}~~~", {SKETCH: WHOLE}),
        # Within a list.
        (
            "1. Do\n   ```cpp\n   void setup() {}\n   void loop() {}\n   ```",
            {SKETCH: WHOLE},
        ),
        # Cut off.
        (f"```cpp\n{WHOLE}", {SKETCH: f"{WHOLE}\n"}),
        # The last whole sketch counts, and what is beside it does not.
        (fenced(WHOLE) + "Better:\n" + fenced(OTHER), {SKETCH: OTHER}),
        (fenced("int led = 3;\n") + fenced(WHOLE), {SKETCH: WHOLE}),
        # Neither is whole.
        (
            fenced("void setup() {}\n") + "and\n" + fenced("void loop() {}\n"),
            {SKETCH: "void setup() {}\n\nvoid loop() {}\n"},
        ),
        # Names: in the fence, in a comment, above.
        (
            fenced("#define LED 3\n", "cpp pins.h")
            + fenced(WHOLE, 'cpp title="main.cpp"'),
            {"src/pins.h": "#define LED 3\n", "src/main.cpp": WHOLE},
        ),
        (
            "**include/pins.h**\n" + fenced("#define LED 3\n") + fenced(WHOLE),
            {"include/pins.h": "#define LED 3\n", SKETCH: WHOLE},
        ),
        ("### `Blink/Blink.ino`\n\n" + fenced(WHOLE), {"src/Blink.ino": WHOLE}),
        (fenced(f"// main.cpp\n{WHOLE}"), {"src/main.cpp": f"// main.cpp\n{WHOLE}"}),
        # What is no code of ours.
        (
            "```ini\n[env:uno]\n```\n```bash\npio run\n```\n" + fenced(WHOLE),
            {SKETCH: WHOLE},
        ),
        ("```\nHello\n```\n" + fenced(WHOLE), {SKETCH: WHOLE}),
        # Prose round code without fences.
        (f"Sure! Try this:\n{WHOLE}It blinks.", {SKETCH: WHOLE}),
        (
            "#include &lt;Servo.h&gt;\n" + WHOLE,
            {SKETCH: f"#include <Servo.h>\n{WHOLE}"},
        ),
        # Python.
        (fenced("import gpiozero\n", "python"), {PROGRAM: "import gpiozero\n"}),
        ("import gpiozero\n", {PROGRAM: "import gpiozero\n"}),
        (
            fenced("import gpiozero\n", "py app/main.py"),
            {"main.py": "import gpiozero\n"},
        ),
    ],
)
def test_code_is_taken_out(answer: str, files: dict[str, str]) -> None:
    assert code_of(answer).files == files


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I am sorry, but I cannot help with that.",
        "Set up the loop; then call digitalWrite(13, HIGH);",
        "```\n+---+\n| 5V |\n```",
        '```json\n{"version": 1}\n```',
        "{not code}; at all;",
        "from what I know,\nimport duties apply;",
    ],
)
def test_what_holds_no_code_says_so(answer: str) -> None:
    code = code_of(answer)
    assert (code.files, code.taken[0]) == ({}, NO_CODE)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (fenced(WHOLE) + fenced(OTHER), "2 whole sketches: the last one counts"),
        (f"```cpp\n{WHOLE}", "cut off"),
        ("```bash\nls\n```\n" + fenced(WHOLE), "left out as no code: 1 of bash"),
        (f"Sure:\n{WHOLE}Bye.", "no fences, taken: lines 2 to 3 of 4"),
        (f"```cpp a.h\n```\n```cpp a.h\n```\n{fenced(WHOLE)}", "src/a.h is there more"),
    ],
)
def test_how_it_was_come_by_is_told(answer: str, told: str) -> None:
    assert told in "\n".join(code_of(answer).taken)
