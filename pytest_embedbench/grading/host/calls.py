"""What a submission may not call, where its brief says that it must not wait or so.

What it asks of others by name is in the library that it is compiled into: also what is
asked for in case it is there (weak), and what a macro hides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

FORBIDDEN = {
    "wait": """
        port_delay_ms port_uart_read delay delayMicroseconds vTaskDelay sleep usleep
        nanosleep clock_nanosleep thrd_sleep pause poll ppoll select pselect epoll_wait
        sem_wait getchar fgetc fgets getc read scanf fread
    """,
    "allocate": """
        malloc calloc realloc reallocarray free aligned_alloc posix_memalign memalign
        valloc pvalloc strdup strndup asprintf vasprintf getline open_memstream brk sbrk
        mmap
    """,
    "print": """
        port_uart_write printf vprintf fprintf vfprintf dprintf vdprintf puts fputs
        putchar fputc putc putchar_unlocked putc_unlocked fwrite perror write writev
    """,
}
"""By what a task's ``forbidden`` names."""


def forbidden_call(library: Path, forbidden: Iterable[str]) -> str:
    """Return what is wrong with a library, as a linker says it; nothing if all is well.

    Args:
        library: The submission as a shared library.
        forbidden: Keys of ``FORBIDDEN``.
    """
    called = set(_undefined(library))
    for what in forbidden:
        for name in FORBIDDEN[what].split():
            if called & {name, f"__{name}_chk", f"__isoc99_{name}"}:
                forbids = f"a submission to this task must not {what}"
                return f"error: it calls {name}: {forbids}, as its brief says"
    return ""


def _undefined(library: Path) -> Iterable[str]:
    from elftools.elf.elffile import ELFFile  # noqa: PLC0415  # a cold build only

    with library.open("rb") as file:
        symbols: Any = ELFFile(file).get_section_by_name(".dynsym")
        entries = symbols.iter_symbols() if symbols else ()
        return [each.name for each in entries if each["st_shndx"] == "SHN_UNDEF"]
