"""Which code only waits, when it comes round, and from what that follows."""

from __future__ import annotations

import pytest

from pytest_embedbench.engines.simavr.core.waiting_code import Round, WaitingCode

CELL = 0x120
SP = 0x180
LDS_R24 = [0x9180, CELL]
LDS_R25_NEXT = [0x9190, CELL + 1]
CPI_R24_2 = 0x3082
CPSE_R24_R1 = 0x1181
SBRC_R24_3 = 0xFD83
AND_R24_R24 = 0x2388
OR_R24_R25 = 0x2B89
CPI_R24_1, SBCI_R25_2 = 0x3081, 0x4092
CP_R24_R18, CPC_R25_R19 = 0x1782, 0x0793
DEC_R18 = 0x952A
MOV_R18_R24 = 0x2F28
POP_R24, POP_R0, OUT_SREG_R0, RETI, RET = 0x918F, 0x900F, 0xBE0F, 0x9518, 0x9508
LD_R24_Z, LDD_R24_Y_3, LD_R24_X = 0x8180, 0x818B, 0x918C
ANDI_R24_4, ORI_R24_4, EOR_R24_R24, MOVW_R18_R24 = 0x7084, 0x6084, 0x2788, 0x019C
JMP_0 = [0x940C, 0]
STS_R24 = [0x9380, CELL]
IN_R24 = 0xB183


def breq(words: int) -> int:
    return 0xF001 | (words & 0x7F) << 3


def brne(words: int) -> int:
    return 0xF401 | (words & 0x7F) << 3


def brcs(words: int) -> int:
    return 0xF000 | (words & 0x7F) << 3


def rjmp(words: int) -> int:
    return 0xC000 | words & 0xFFF


def followed(
    words: list[int], cells: dict[int, int], *, is_wide: bool = False
) -> Round:
    program = [*words, *([0x9598] * 200)]  # break
    data = bytearray(0x200)
    for address, value in cells.items():
        data[address] = value
    return WaitingCode(
        lambda at: program[at // 2],
        memoryview(data),
        readable=range(0x100, 0x200),
        pc=0,
        sp=SP,
        is_wide=is_wide,
    ).round()


@pytest.mark.parametrize(
    ("words", "cells", "cycles"),
    [
        ([rjmp(-1)], {}, 2),
        ([*LDS_R24, CPI_R24_2, breq(-4)], {CELL: 2}, 5),
        ([*LDS_R24, CPI_R24_2, brne(-4)], {CELL: 3}, 5),
        ([*LDS_R24, AND_R24_R24, breq(-4)], {CELL: 0}, 5),
        ([*LDS_R24, CPSE_R24_R1, rjmp(-4)], {CELL: 1, 1: 0}, 5),
        ([*LDS_R24, SBRC_R24_3, rjmp(-4)], {CELL: 8}, 5),
        ([*LDS_R24, CPSE_R24_R1, *LDS_R25_NEXT, rjmp(-6)], {CELL: 0, 1: 0}, 7),
        ([*LDS_R24, *LDS_R25_NEXT, OR_R24_R25, breq(-6)], {}, 7),
        ([LD_R24_Z, AND_R24_R24, breq(-3)], {30: 0x20, 31: 1}, 5),
        (
            [*LDS_R24, *LDS_R25_NEXT, CPI_R24_1, SBCI_R25_2, brne(-7)],
            {CELL: 0, CELL + 1: 3},
            8,
        ),
        ([LDD_R24_Y_3, ANDI_R24_4, breq(-3)], {28: 0x20, 29: 1}, 5),
        ([LD_R24_X, ORI_R24_4, brne(-3)], {26: 0x20, 27: 1}, 5),
        ([*LDS_R24, EOR_R24_R24, MOVW_R18_R24, *JMP_0], {}, 7),
        (
            [*LDS_R24, *LDS_R25_NEXT, CP_R24_R18, CPC_R25_R19, brcs(-7)],
            {CELL: 0, CELL + 1: 1, 18: 1, 19: 1},
            8,
        ),
    ],
)
def test_a_loop_on_ram_has_the_cycles_of_its_instructions(
    words: list[int], cells: dict[int, int], cycles: int
) -> None:
    assert followed(words, cells).period_cycles == cycles


@pytest.mark.parametrize(
    ("words", "cells"),
    [
        ([*LDS_R24, CPI_R24_2, breq(-4)], {CELL: 3}),  # over at once
        ([DEC_R18, rjmp(-2)], {}),  # it counts
        ([*STS_R24, rjmp(-3)], {}),
        ([IN_R24, rjmp(-2)], {}),
        ([0x9180, 0x00C6, rjmp(-3)], {}),  # lds from a register of a peripheral
        ([breq(-1)], {}),  # by a flag that is not known
        ([LD_R24_Z, rjmp(-2)], {30: 0xC6, 31: 0}),
        ([0x95A8, rjmp(-2)], {}),  # wdr
    ],
)
def test_what_does_more_than_wait_is_none(
    words: list[int], cells: dict[int, int]
) -> None:
    assert followed(words, cells).period_cycles == 0


@pytest.mark.parametrize("is_wide", [False, True])
def test_the_end_of_an_interrupt_leads_to_the_loop_that_it_came_from(
    *, is_wide: bool
) -> None:
    loop_at = 6  # words
    ends = [POP_R24, POP_R0, OUT_SREG_R0, POP_R0, RETI]
    loop = [*LDS_R24, CPI_R24_2, breq(-4)]
    came_from = [0, 0, loop_at + 3] if is_wide else [0, loop_at + 3]  # its breq
    stack = [0x77, 0x02, 0x11, *came_from]
    cells = {CELL: 2} | {SP + 1 + index: value for index, value in enumerate(stack)}
    found = followed([*ends, 0, *loop], cells, is_wide=is_wide)
    # pop 2, pop 2, out 1, pop 2, reti 4 or 5, breq 2; then a round, as r24 was another.
    assert found.lead_cycles == 13 + is_wide + 5
    assert found.period_cycles == 5
    # Not of r24 or r0 as they were, which nobody looks at: of SREG and what returns.
    depends = [CELL, SP + 2, *range(SP + 4, SP + 6 + is_wide)]
    assert list(found.seen) == depends
    over = followed([*ends, 0, *loop], cells | {SP + 2: 0}, is_wide=is_wide)
    assert over.period_cycles == 0


def test_a_register_that_is_set_anew_in_each_round_does_not_hide_it() -> None:
    found = followed([*LDS_R24, MOV_R18_R24, AND_R24_R24, breq(-5)], {18: 5})
    assert (found.period_cycles, found.seen) == (6, (CELL,))
