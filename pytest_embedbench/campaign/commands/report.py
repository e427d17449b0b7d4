"""``embedbench report``: runs as a page, and the tables of campaigns', merged."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_embedbench.campaign.report.formats import (
    as_csv,
    as_json,
    as_latex,
    as_markdown,
    as_text,
)
from pytest_embedbench.campaign.report.pictures import all_pictures
from pytest_embedbench.campaign.report.runs import holds_runs, read_runs
from pytest_embedbench.campaign.report.tables import all_tables
from pytest_embedbench.errors import ConfigError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from pytest_embedbench.campaign.report.report_table import ReportTable
    from pytest_embedbench.support.commands import Subcommands

_INCOMPLETE = 3


def add_report(commands: Subcommands) -> None:
    """Add the subcommand."""
    parser = commands.add_parser(
        "report", help="make a page of runs, and tables of campaigns', of any number"
    )
    parser.add_argument(
        "places",
        nargs="+",
        type=Path,
        metavar="RUN",
        help="the folder of a run, or a CSV in the published columns",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="write them there, in four formats, and pictures as SVG",
    )
    parser.add_argument(
        "--html",
        type=Path,
        metavar="FILE",
        help="write one page for a browser, with what tests left; any run will do",
    )
    parser.set_defaults(run=_report)


def _report(arguments: argparse.Namespace) -> int:
    places: list[Path] = arguments.places
    if arguments.html is not None:
        places = [place for place in places if holds_runs(place)]
    read = read_runs(places)
    tables = all_tables(read.runs)
    if tables or arguments.html is None:
        sys.stdout.write(as_text(tables))
    if arguments.out is not None:
        _write(arguments.out, tables, all_pictures(read.runs))
    if arguments.html is not None:
        _write_page(arguments.html, arguments.places, tables)
    broken = [run for run in read.runs if not run.verdict]
    for line in (
        *read.duplicates,
        *read.gaps,
        *(f"{run.file}: has no verdict, through our fault" for run in broken),
    ):
        sys.stderr.write(f"embedbench report: {line}\n")
    return _INCOMPLETE if read.gaps or broken else 0


def _write_page(
    file: Path, places: Sequence[Path], tables: Sequence[ReportTable]
) -> None:
    """Write the page of all places that are folders; an index has nothing to show."""
    from pytest_embedbench.report_page.page import write_page  # noqa: PLC0415  # late
    from pytest_embedbench.report_page.run_folder import read_page_runs  # noqa: PLC0415

    runs = read_page_runs(place for place in places if not place.is_file())
    size = write_page(file, runs, [asdict(table) for table in tables])
    sys.stdout.write(f"report page in {file} ({size / 1e6:.1f} MB)\n")


def _write(
    folder: Path, tables: Sequence[ReportTable], pictures: Mapping[str, str]
) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "report.md").write_text(as_markdown(tables), "utf-8")
        (folder / "report.json").write_text(as_json(tables), "utf-8")
        (folder / "report.tex").write_text(as_latex(tables), "utf-8")
        for name, svg in pictures.items():
            (folder / f"{name}.svg").write_text(svg, "utf-8")
        for number, table in enumerate(tables, start=1):
            words = table.title.split(":")[0].split(",")[0].lower().replace(" ", "_")
            name = f"{number:02}_{words}.csv"
            (folder / name).write_text(as_csv(table), "utf-8")
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be written: {error.strerror}") from error
