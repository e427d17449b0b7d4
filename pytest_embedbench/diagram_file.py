"""A diagram as a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_embedbench.errors import ConfigError
from pytest_embedbench.installed_parts import installed_catalogue
from pytest_embedbench.wiring.checking import check_diagram

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_embedbench.wiring.catalogue import PartCatalogue
    from pytest_embedbench.wiring.checking import DiagramReport


def check_diagram_file(
    file: Path, board: str = "", catalogue: PartCatalogue | None = None
) -> DiagramReport:
    """Read and check a ``diagram.json``.

    Args:
        file: Where it is.
        board: The board that it has to be for; any if empty.
        catalogue: The types of parts that are known; those that are installed if there
            is none.

    Raises:
        ConfigError: it cannot be read, or a part that is installed cannot be loaded.
    """
    try:
        text = file.read_text("utf-8")
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        told = f"is no text in UTF-8 (byte {error.start}); save it as such"
        raise ConfigError(f"{file}: {told}") from error
    except ValueError as error:  # a byte of 0 in its name
        raise ConfigError(f"{str(file)!r}: cannot be read: {error}") from error
    return check_diagram(text, str(file), catalogue or installed_catalogue(), board)
