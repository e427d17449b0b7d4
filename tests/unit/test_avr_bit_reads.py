"""Which bits of a port are read, by the opcodes behind the read."""

from __future__ import annotations

import pytest

from pytest_embedbench.engines.simavr.core.bit_reads import BitsRead, bits_read

IN_R24_PIND = 0xB189
LD_R24_X = 0x918C
LDS_R24 = 0x9180
AND_R24_R29 = 0x238D
AND_R25_R24 = 0x2398
ANDI_R24_4 = 0x7084
SBRS_R24_5 = 0xFF85
BST_R24_3 = 0xFB83
MOV_R18_R24 = 0x2F28
SBRC_R18_2 = 0xFD22
LDI_R25_8 = 0xE098
COM_R24 = 0x9580
EOR_R24_R20 = 0x2784
RET = 0x9508
ST_X_R24 = 0x938C


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([0x994B], BitsRead(1 << 3)),  # sbic 0x09, 3
        ([0x9B1F], BitsRead(1 << 7)),  # sbis 0x03, 7
        ([LD_R24_X, AND_R24_R29], BitsRead(register=29)),
        ([IN_R24_PIND, LDI_R25_8, AND_R25_R24], BitsRead(8)),
        ([IN_R24_PIND, ANDI_R24_4], BitsRead(4)),
        ([IN_R24_PIND, SBRS_R24_5], BitsRead(32)),
        ([IN_R24_PIND, BST_R24_3], BitsRead(8)),
        ([IN_R24_PIND, COM_R24, ANDI_R24_4], BitsRead(4)),
        ([LDS_R24, 0x0106, MOV_R18_R24, SBRC_R18_2], BitsRead(4)),
        ([IN_R24_PIND, EOR_R24_R20, ANDI_R24_4], BitsRead()),
        ([IN_R24_PIND, ST_X_R24, ANDI_R24_4], BitsRead()),
        ([IN_R24_PIND, RET, ANDI_R24_4], BitsRead()),
        ([0x2388], BitsRead()),  # tst: no read at all
    ],
)
def test_bits_are_those_that_the_code_takes(
    words: list[int], expected: BitsRead
) -> None:
    program = [*words, RET, *([0] * 16)]
    assert bits_read(lambda at: program[at // 2], 0) == expected
