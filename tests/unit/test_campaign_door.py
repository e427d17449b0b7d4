"""The agents' door: the SDK's own client uses the tools, as far as a mode allows."""

from __future__ import annotations

import asyncio
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

from pytest_embedbench.campaign.door.pages import PAGE_CHARS, page_of
from pytest_embedbench.campaign.door.server import door
from pytest_embedbench.campaign.door.toolbox import Toolbox
from tests.unit.test_campaign_desk import Place

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    find_spec("mcp") is None, reason="pip install 'pytest-embedbench[mcp]'"
)


def tools(toolbox: Toolbox) -> list[str]:
    async def listed() -> list[str]:
        async with import_module("mcp").Client(door(toolbox)) as client:
            return [tool.name for tool in (await client.list_tools()).tools]

    return asyncio.run(listed())


def call(toolbox: Toolbox, tool: str, **arguments: object) -> dict[str, Any]:
    async def called() -> dict[str, Any]:
        async with import_module("mcp").Client(door(toolbox)) as client:
            answer = await client.call_tool(tool, arguments)
            structured: dict[str, Any] = answer.structured_content
            return structured

    return asyncio.run(called())


@pytest.mark.parametrize(("mode", "count"), [("oneshot_blind", 1), ("ci_red_green", 8)])
def test_a_workspace_offers_what_its_mode_allows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str, count: int
) -> None:
    place = Place(tmp_path)
    with place.desk(mode) as desk:
        monkeypatch.setenv("EMBEDBENCH_DESK", str(desk.socket))
        toolbox = Toolbox(place.workspace)
        names = tools(toolbox)
        assert len(names) == count
        assert names[-1] == "submit"
        answer = call(toolbox, "submit")
        said = "recorded\n" if mode == "oneshot_blind" else "PASS\n"
        assert answer == {"outcome": "answered", "text": said}


def test_what_is_not_there_is_refused_in_words(tmp_path: Path) -> None:
    toolbox = Toolbox(tmp_path)
    assert "native" in call(toolbox, "list_boards")["boards"]
    assert call(toolbox, "list_tasks") == {"outcome": "ok", "tasks": []}
    for name, arguments, reason in (
        ("submit", {}, "no desk is open here"),
        ("drive_board", {"line": "x"}, "call open_board first"),
        ("read_evidence", {"test": "x", "name": "passwd"}, "is none of transcript.log"),
        ("read_evidence", {"test": "x", "name": "trace.csv"}, "no test like 'x'"),
    ):
        answer = call(toolbox, name, **arguments)
        assert answer["outcome"] == "refused"
        assert reason in answer["reason"]
        assert answer["next"]
    answer = call(toolbox, "build", board="uno")
    assert (answer["outcome"], answer["blame"]) == ("failed", "test")
    answer = call(toolbox, "open_board", board="unno")
    assert "no board named 'unno'" in answer["reason"]


def test_long_texts_come_in_pages_of_whole_lines() -> None:
    text = "".join(f"line {number}\n" for number in range(5000))
    first = page_of(text, 1)
    assert len(first["text"]) <= PAGE_CHARS
    pages = [page_of(text, number)["text"] for number in range(1, first["pages"] + 1)]
    assert "".join(pages) == text
    assert all(page.endswith("\n") for page in pages)
    assert page_of(text, 99)["page"] == first["pages"]
    assert page_of("", 1) == {"text": "", "page": 1, "pages": 1}
