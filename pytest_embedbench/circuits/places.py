"""Where the diagram of a test is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.support.wokwi_project import WOKWI_FILE

if TYPE_CHECKING:
    from pathlib import Path

DIAGRAM = "diagram.json"


def diagram_beside(test: Path, board: str) -> Path:
    """Return the diagram of a test that has not been told one.

    It is beside the test, one for that board first (``diagram-mega.json``), else beside
    the nearest ``wokwi.toml`` above.

    Raises:
        ConfigError: there is none.
    """
    beside = [test.with_name(f"diagram-{board}.json"), test.with_name(DIAGRAM)]
    of_wokwi = [
        folder / DIAGRAM for folder in test.parents if (folder / WOKWI_FILE).is_file()
    ]
    for file in (*beside, *of_wokwi[:1]):
        if file.exists():  # a folder is told when it is read
            return file
    raise ConfigError(
        f"{test.name}: no circuit is drawn: put {DIAGRAM} beside the test, name one "
        "with @pytest.mark.diagram(...) or with [circuit] in task.toml, or have a "
        f"{WOKWI_FILE} with a {DIAGRAM} above"
    )
