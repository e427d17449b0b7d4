"""One reader for the options of every board: typed, in range, and well told."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.model import BoardSpec, UartSpec
from pytest_embedbench.support.options import option, option_fields, read_options

if TYPE_CHECKING:
    from pytest_embedbench.model import Option


class Speed(enum.Enum):
    SLOW = "slow"
    FAST = "fast"


@dataclass(frozen=True, kw_only=True)
class ProbeOptions:
    serial: str
    depth: int = option(3, "how deep it looks", lowest=0, highest=20)
    ratio: float = option(0.5, "of what it sees", lowest=0)
    size_mb: int = option(0, choices=(0, 2, 4), default_text="what fits")
    is_quiet: bool = option(default=False)
    words: tuple[str, ...] = option(())
    speed: Speed = option(Speed.SLOW)  # noqa: RUF009  # it describes a field
    limit: int | None = option(None, lowest=1)


def spec(lab: str = "", **options: Option) -> BoardSpec:
    return BoardSpec(
        name="desk",
        engine="probe",
        mcu="any",
        cpu_hz=1,
        uarts=(UartSpec(name="uart0", baud_bps=115_200),),
        environments=("any",),
        options={**options, **({"lab": lab} if lab else {})},
    )


def test_what_is_given_has_the_types_of_the_dataclass() -> None:
    read = read_options(
        spec(serial="A5", ratio=1, words=("a", "b"), speed="fast", limit=7),
        ProbeOptions,
    )
    assert read == ProbeOptions(
        serial="A5", ratio=1.0, words=("a", "b"), speed=Speed.FAST, limit=7
    )
    assert isinstance(read.ratio, float)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"depth": -1}, "depth: must be a whole number, 0 to 20, is -1"),
        ({"depth": 21}, "depth: must be a whole number, 0 to 20, is 21"),
        ({"depth": True}, "depth: must be a whole number, 0 to 20, is True"),
        ({"depth": 1.0}, "depth: must be a whole number, 0 to 20, is 1.0"),
        ({"depth": "3"}, "depth: must be a whole number, 0 to 20, is '3'"),
        ({"ratio": -0.1}, "ratio: must be a number, 0 or more, is -0.1"),
        ({"ratio": "1"}, "ratio: must be a number, 0 or more, is '1'"),
        ({"size_mb": 3}, "size_mb: must be one of 0, 2, 4, is 3"),
        ({"size_mb": False}, "size_mb: must be one of 0, 2, 4, is False"),
        ({"size_mb": 2.0}, "size_mb: must be one of 0, 2, 4, is 2.0"),
        ({"is_quiet": 1}, "is_quiet: must be true or false, is 1"),
        ({"words": "a"}, "words: must be a non-empty list of text, is 'a'"),
        ({"words": ()}, "words: must be a non-empty list of text, is ()"),
        ({"speed": "warp"}, "speed: must be one of slow, fast, is 'warp'"),
        ({"limit": 0}, "limit: must be a whole number, 1 or more, is 0"),
        ({"serial": 5}, "serial: must be text, is 5"),
    ],
)
def test_a_value_that_cannot_be_is_told_with_what_can(
    given: dict[str, Option], told: str
) -> None:
    with pytest.raises(ConfigError) as wrong:
        read_options(spec(**({"serial": "A5"} | given)), ProbeOptions)  # type: ignore[arg-type]  # no lab is given
    assert str(wrong.value) == f"board 'desk': options.{told}"


@pytest.mark.parametrize("depth", [0, 20])
def test_both_ends_of_a_range_are_in_it(depth: int) -> None:
    assert read_options(spec(serial="", depth=depth), ProbeOptions).depth == depth


def test_an_unknown_key_is_told_with_the_nearest_one() -> None:
    with pytest.raises(ConfigError) as wrong:
        read_options(spec(serial="A5", dept=1), ProbeOptions)
    assert str(wrong.value) == (
        "board 'desk': options.dept: unknown key; known keys: depth, is_quiet, limit, "
        "ratio, serial, size_mb, speed, words; do you mean 'depth'?"
    )


def test_an_unknown_key_like_no_other_is_told_without_a_guess() -> None:
    with pytest.raises(ConfigError, match=r"options\.zzz: unknown key; .*words$"):
        read_options(spec(serial="A5", zzz=1), ProbeOptions)


def test_what_has_no_default_has_to_be_given() -> None:
    with pytest.raises(
        ConfigError, match=r"^board 'desk': options\.serial: missing; must be text$"
    ):
        read_options(spec(), ProbeOptions)


def test_a_lab_file_is_told_by_its_table() -> None:
    @dataclass(frozen=True)
    class LabProbe:
        lab: str = ""
        reset_hold: str = ""
        depth: int = 0

    for key, place in (("reset_hold", "reset.hold"), ("depth", "options.depth")):
        with pytest.raises(ConfigError, match=rf"^lab\.toml: boards\.desk\.{place}: "):
            read_options(spec(lab="lab.toml", **{key: 1.5}), LabProbe)


def test_what_is_somebody_elses_is_not_looked_at() -> None:
    given = spec(serial="A5", flash_method="esptool")
    assert read_options(given, ProbeOptions, ignoring="flash_").serial == "A5"


def test_a_row_of_the_documentation_has_name_default_and_help() -> None:
    fields = option_fields(ProbeOptions)
    assert fields["depth"].markdown() == "| `depth` | 3 | how deep it looks |"
    assert fields["size_mb"].markdown() == "| `size_mb` | what fits |  |"
    assert fields["is_quiet"].markdown() == "| `is_quiet` | `false` |  |"


@dataclass(frozen=True, kw_only=True)
class RenamedOptions:
    reach_us: int = option(5, lowest=1, formerly="span_us")


def test_the_name_that_an_option_had_still_works_and_warns() -> None:
    with pytest.warns(
        DeprecationWarning, match=r"options\.span_us: is called reach_us"
    ):
        assert read_options(spec(span_us=7), RenamedOptions).reach_us == 7
    with (
        pytest.warns(DeprecationWarning, match="span_us"),
        pytest.raises(ConfigError, match="1 or more"),
    ):
        read_options(spec(span_us=0), RenamedOptions)
    assert read_options(spec(), RenamedOptions).reach_us == 5


def test_a_name_of_before_beside_the_new_one_is_one_too_many() -> None:
    with pytest.raises(ConfigError, match=r"options\.span_us: .*reach_us"):
        read_options(spec(span_us=7, reach_us=8), RenamedOptions)
