"""What unit tests report, line by line: Unity's and doctest's words."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Protocol

_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_BASIC = re.compile(
    r"(?P<file>[^:]+):(?P<line>\d+):(?P<name>.+?):(?P<result>PASS|FAIL|IGNORE)"
    r"(?::\s*(?P<message>.*\S))?\s*$"
)
_FIXTURE = re.compile(
    r"(?:IGNORE_)?TEST\((?P<group>[^\s,]+), *(?P<name>[^\r\n)]+)\)"
    r"(?:[^:]*?(?P<file>[^:\s]+):(?P<line>\d+):[^:]*:| *)"
    r"(?P<result>PASS|FAIL|IGNORE)(?::\s*(?P<message>.*\S))?"
)
_SUMMARY = re.compile(r"(\d+) Tests (\d+) Failures (\d+) Ignored")
_INFO = ":INFO"
_DIVIDER = re.compile(r"={3,}\s*$")
_PLACE = re.compile(r"(?P<file>.+?)[:(](?P<line>\d+)\)?:$")
_KIND = re.compile(r"(TEST SUITE|TEST CASE|SCENARIO|Scenario):\s*(?P<name>.*\S)")
_BROKEN = re.compile(
    r"(?P<file>\S.*?)[:(](?P<line>\d+)\)?: (?:FATAL )?ERROR: ?(?P<message>.*)"
)
_DOCTEST_END = re.compile(r"\[doctest\] Status: (\w+)")
_DOCTEST_CASES = re.compile(
    r"\[doctest\] test cases: +(\d+) \| +(\d+) passed \| +(\d+) failed"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitTestCase:
    """One case as a firmware has reported it; ``result`` is PASS, FAIL or IGNORE."""

    name: str
    result: str
    message: str = ""
    file: str = ""
    line: int = 0
    group: str = ""

    @property
    def attrs(self) -> dict[str, Any]:
        """The rest by name, as pytest-embedded has it."""
        known = {"file": self.file, "line": str(self.line) if self.line else ""}
        known |= {"message": self.message, "group": self.group}
        return {name: value for name, value in known.items() if value}

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}: " if self.file else ""
        said = f": {self.message}" if self.message else ""
        return f"{where}{self.name}: {self.result}{said}"


class UnitTestReader(Protocol):
    """What makes cases of lines."""

    cases: list[UnitTestCase]
    summary: str
    """The last line of a run, once it was said."""

    def read(self, line: str) -> None:
        """Take a line, without its end."""
        ...

    def unseen_passed(self, known: int) -> bool:
        """Say whether a case of ``known`` ones that was not named has passed."""
        ...


@dataclass(slots=True)
class UnityReader:
    """Reads what Unity prints, by itself or with its fixtures."""

    cases: list[UnitTestCase] = field(default_factory=list[UnitTestCase])
    summary: str = ""

    def read(self, line: str) -> None:
        """Take a line, without its end."""
        text = _ESCAPE.sub("", line).strip()
        if match := _SUMMARY.search(text):
            self.summary = match[0]
        elif (case := unity_case(text)) is not None:
            self.cases.append(case)

    def unseen_passed(self, known: int) -> bool:
        """Say no: Unity names all that it runs."""
        del known
        return False


@dataclass(slots=True)
class DoctestReader:
    """Reads what doctest prints; with ``success`` it names passing cases, too.

    A case within subcases is called after all of them: ``case/subcase``.
    """

    cases: list[UnitTestCase] = field(default_factory=list[UnitTestCase])
    summary: str = ""
    _counts: tuple[int, int] | None = None
    """How many ran, and how many of them failed."""
    _place: re.Match[str] | None = None
    _names: list[str] = field(default_factory=list[str])
    _message: str = ""
    _result: str = ""
    _is_named: bool = False

    def read(self, line: str) -> None:
        """Take a line, without its end."""
        text = _ESCAPE.sub("", line).rstrip()
        if counted := _DOCTEST_CASES.search(text):
            self._counts = int(counted[1]), int(counted[3])
        if ended := _DOCTEST_END.search(text):
            self.summary = ended[0]
        if _DIVIDER.match(text) or text.startswith("[doctest] test cases"):
            self._end_block()
        elif self._result:
            self._read_in_block(text)

    def unseen_passed(self, known: int) -> bool:
        """Say whether as many ran as are known, and each that failed was named."""
        failed = {case.name.split("/")[0] for case in self.cases if _failed(case)}
        return self._counts == (known, len(failed))

    def _read_in_block(self, text: str) -> None:
        if self._place is None:
            self._place = _PLACE.match(text.strip())
        elif not self._is_named:
            if text.strip():
                self._name(text)
            elif self._names:
                self._is_named = True
        elif (broken := _BROKEN.search(text)) and self._result != "FAIL":
            self._result, self._message = "FAIL", broken["message"].strip()
            self._place = broken

    def _name(self, text: str) -> None:
        match = _KIND.match(text.strip())
        if match is None:
            self._names.append(text.strip())
        elif match[1] != "TEST SUITE":
            self._names.append(match["name"])

    def _end_block(self) -> None:
        if self._place is not None and self._names:
            self.cases.append(
                UnitTestCase(
                    name="/".join(self._names),
                    result=self._result,
                    message=self._message,
                    file=self._place["file"],
                    line=int(self._place["line"]),
                )
            )
        self._place, self._names, self._is_named = None, [], False
        self._result, self._message = "PASS", ""


def unity_case(line: str) -> UnitTestCase | None:
    """Return the case that a line of Unity's reports, if it reports one."""
    match = _FIXTURE.search(line) or _BASIC.search(line)
    if match is None or _INFO in match["name"]:
        return None
    found: dict[str, str] = {k: v or "" for k, v in match.groupdict().items()}
    return UnitTestCase(
        name=found["name"].strip(),
        result=found["result"],
        message=found["message"],
        file=found["file"].strip(),
        line=int(found["line"] or 0),
        group=found.get("group", ""),
    )


def _failed(case: UnitTestCase) -> bool:
    return case.result == "FAIL"
