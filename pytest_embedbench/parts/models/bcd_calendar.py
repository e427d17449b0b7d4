"""A clock chip's calendar: seconds to years, whatever is written to it.

Years are 0 to 99, and each fourth one is a leap year, as chips have it until 2100. What
makes no sense, such as a 31st of February, is kept as it is until it counts on.
"""

from __future__ import annotations

from typing import NamedTuple

_MINUTE_S, _HOUR_S, _DAY_S = 60, 3600, 86_400
_WEEK, _MONTHS, _CENTURY = 7, 12, 100
_FEBRUARY, _LEAP_FEBRUARY_DAYS = 2, 29
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class Calendar(NamedTuple):
    """Date and time of day; ``weekday`` is 1 to 7."""

    second: int
    minute: int
    hour: int
    weekday: int
    day: int
    month: int
    year: int

    def after(self, seconds: int) -> Calendar:
        """Return what it shows when seconds have passed."""
        if not seconds:
            return self
        of_day_s = self.hour * _HOUR_S + self.minute * _MINUTE_S + self.second
        days, of_day_s = divmod(of_day_s + seconds, _DAY_S)
        hour, of_hour_s = divmod(of_day_s, _HOUR_S)
        minute, second = divmod(of_hour_s, _MINUTE_S)
        calendar = self._replace(second=second, minute=minute, hour=hour)
        for _ in range(days):
            calendar = calendar.next_day()
        return calendar

    def next_day(self) -> Calendar:
        """Return the same time of the next day."""
        weekday = self.weekday % _WEEK + 1
        if self.day < self._days():
            return self._replace(weekday=weekday, day=self.day + 1)
        if self.month < _MONTHS:
            return self._replace(weekday=weekday, day=1, month=self.month + 1)
        year = (self.year + 1) % _CENTURY
        return self._replace(weekday=weekday, day=1, month=1, year=year)

    def _days(self) -> int:
        if self.month == _FEBRUARY and self.year % 4 == 0:
            return _LEAP_FEBRUARY_DAYS
        return _DAYS[(self.month - 1) % _MONTHS]

    def as_text(self) -> str:
        """Return it in ISO 8601."""
        date = f"20{self.year:02}-{self.month:02}-{self.day:02}"
        return f"{date}T{self.hour:02}:{self.minute:02}:{self.second:02}"


def to_bcd(value: int) -> int:
    """Return two digits as a chip keeps them."""
    tens, units = divmod(value, 10)
    return tens << 4 | units


def from_bcd(byte: int) -> int:
    """Return the number that two digits are."""
    return (byte >> 4) * 10 + (byte & 0x0F)
