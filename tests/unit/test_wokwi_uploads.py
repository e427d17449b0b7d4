"""What a client of our server has uploaded, and where it wants time to stop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.errors import BadFrame, ConfigError, UnknownName
from pytest_embedbench.wiring.stops import TimeReaches, UartSays
from pytest_embedbench.wokwi.fields import Fields
from pytest_embedbench.wokwi_server import uploads as uploads_module
from pytest_embedbench.wokwi_server.pace import HostPace
from pytest_embedbench.wokwi_server.pause_points import read_pause_point
from pytest_embedbench.wokwi_server.uploads import Uploads

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_is_given_back_as_it_came() -> None:
    uploads = Uploads()
    uploads.put("diagram.json", "{}")
    uploads.put("a/../b.bin", b"\xff\x00")
    assert uploads.given("diagram.json") == {"text": "{}"}
    assert uploads.given("a/../b.bin") == {"binary": "/wA="}
    with pytest.raises(UnknownName, match="no uploaded file named 'diagram'"):
        uploads.given("diagram")


def test_there_is_an_end_of_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads_module, "MOST_BYTES", 10)
    uploads = Uploads()
    uploads.put("a", b"12345678")
    uploads.put("a", b"1234567890")  # in its own place
    with pytest.raises(ConfigError, match="b: there is room for"):
        uploads.put("b", b"1")


def test_a_firmware_in_pieces_is_put_together(tmp_path: Path) -> None:
    uploads = Uploads()
    uploads.put("app.bin", b"APP")
    uploads.put("boot.bin", b"BOOT")
    pieces = [(8, "boot.bin"), (0, "app.bin")]
    whole = uploads.write_firmware(pieces, tmp_path)
    assert whole.read_bytes() == b"APP\xff\xff\xff\xff\xffBOOT"
    one = uploads.write_firmware([(0, "app.bin")], tmp_path)
    assert (one.name, one.read_bytes()) == ("app.bin", b"APP")
    with pytest.raises(ConfigError, match="at 0x2 another file is already"):
        uploads.write_firmware([(0, "app.bin"), (2, "boot.bin")], tmp_path)
    with pytest.raises(ConfigError, match="behind any flash"):
        uploads.write_firmware([(1 << 40, "app.bin")], tmp_path)


def test_a_name_leads_nowhere_else(tmp_path: Path) -> None:
    uploads = Uploads()
    uploads.put("../../evil.hex", b"1")
    written = uploads.write_firmware([(0, "../../evil.hex")], tmp_path)
    assert written == tmp_path / "evil.hex"


@pytest.mark.parametrize(
    ("params", "stop"),
    [
        ({"type": "time-relative", "nanos": 10}, TimeReaches(110)),
        ({"type": "time-absolute", "nanos": 10.0}, TimeReaches(10)),
        ({"type": "serial-bytes", "bytes": [65, 10]}, UartSays(b"A\n")),
    ],
)
def test_pause_points_are_moments_or_words(
    params: dict[str, Any], stop: TimeReaches | UartSays
) -> None:
    point = read_pause_point(Fields("add", {"id": "p", **params}), now_ns=100)
    assert point.stop == stop
    assert point.about() == {"pausePoint": "p", "pausePointInfo": {"type": point.kind}}


@pytest.mark.parametrize(
    ("params", "told"),
    [
        ({"type": "chip-output"}, "type is 'chip-output', and must be one of time-rel"),
        ({"type": "serial-bytes", "bytes": []}, "must be at least one byte"),
        ({"type": "time-absolute", "nanos": -1}, "nanos is -1, and must be a whole"),
    ],
)
def test_other_pause_points_are_refused(params: dict[str, Any], told: str) -> None:
    with pytest.raises(BadFrame, match=told):
        read_pause_point(Fields("add", {"id": "p", **params}), now_ns=0)


def test_time_that_runs_freely_is_the_hosts_and_does_not_catch_up() -> None:
    pace = HostPace()
    pace.begin(0, 10.0)
    assert pace.wait_s(20_000_000, 10.0) == pytest.approx(0.02)
    assert pace.wait_s(20_000_000, 10.02) == pytest.approx(0.0)
    assert pace.wait_s(30_000_000, 99.0) == 0.0
    assert pace.wait_s(40_000_000, 99.0) == pytest.approx(0.01)
