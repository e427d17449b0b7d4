"""Programs that pass for a QEMU, and misbehave."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

from pytest_embedbench.engines.qemu.board import QemuBoard, board_on
from pytest_embedbench.engines.qemu.clocks import GuestClock
from pytest_embedbench.engines.qemu.elf import SymbolAddresses
from pytest_embedbench.engines.qemu.guest_setup import GuestSetup
from pytest_embedbench.engines.qemu.launch import QemuCommand, Timing
from pytest_embedbench.engines.qemu.lockstep import TickWord
from pytest_embedbench.engines.qemu.machines import MACHINES
from pytest_embedbench.model import BoardSpec, UartSpec

COUNTER, LATER, ENTRY = 0x20000000, 0x20000004, 0x08000100
FAULT_HANDLER = 0x08000200
_MACHINE = MACHINES["stm32f405"]

_BODY = '''\
import re, signal, socket, sys

if "--version" in sys.argv:
    print("QEMU emulator version {version}")
    sys.exit()
if "help" in sys.argv:
    print("Supported machines are:")
    print("{machines}")
    sys.exit()
words = " ".join(sys.argv)
nonce = re.search("-uuid ([0-9a-f-]+)", words)[1]
gdb = socket.socket(fileno=int(re.search("id=gdb,fd=([0-9]+)", words)[1]))
path = re.search("pipe,id=uart-[0-9]+,path=([^ ]+)", words)[1]
uart = open(path + ".out", "r+b", buffering=0)

def packet(payload):
    gdb.sendall(b"$%s#%02x" % (payload, sum(payload) & 0xFF))

def requests():
    data = b""
    while more := gdb.recv(65536):
        data += more
        while b"#" in data:
            request, _, data = data.partition(b"#")
            data = data[2:]
            yield request.partition(b"$")[2]

def print_uuid(uuid):
    packet(b"O" + (uuid + "\\r\\n").encode().hex().encode())
    packet(b"OK")

def word_at(address):
    """Return what lies there: the counter, or an address in the table of vectors."""
    words = {{{counter}: max(stops // 2, 0), {fault_vector}: {fault_handler} | 1}}
    return words[address].to_bytes(4, "little")

def obey(request):
    """Do as a guest would that ticks: a stop at the entry, then at the two words."""
    global stops
    if request.startswith(b"qRcmd"):
        print_uuid(nonce)
    elif request[:1] in b"Zz":
        packet(b"OK")
    elif request[:1] == b"m":
        packet(word_at(int(request[1:].partition(b",")[0], 16)).hex().encode())
    elif request == b"g":
        packet((bytes(15 * 4) + ({entry}).to_bytes(4, "little")).hex().encode())
    elif request == b"k":
        sys.exit(0)
    elif request.startswith(b"vCont"):
        stops += 1
        if stops == 0:
            packet(b"T05thread:01;")
        else:
            packet(b"T05thread:01;watch:%08x;" % ({counter}, {later})[stops % 2 == 0])

stops = -1
{behaviour}
'''


def fake_qemu(
    folder: Path,
    behaviour: str,
    *,
    name: str = "qemu-system-arm",
    version: str = "9.9.9 (fake)",
    machines: str = "netduinoplus2  Netduino",
) -> Path:
    """Write a program that starts as QEMU does and then shows ``behaviour``."""
    body = _BODY.format(
        behaviour=behaviour,
        version=version,
        machines=machines,
        entry=ENTRY,
        fault_vector=_MACHINE.fault_vector,
        fault_handler=FAULT_HANDLER,
        counter=COUNTER,
        later=LATER,
    )
    folder.mkdir(exist_ok=True, parents=True)
    program = folder / name
    program.write_text(f"#!{sys.executable} -S\n{body}")
    program.chmod(0o755)
    return program


def boot_fake(program: Path, *, wall_limit_s: float = 10.0) -> QemuBoard:
    """Boot a board on such a program."""
    spec = BoardSpec(
        name="fake",
        engine="qemu-arm",
        mcu="stm32f405",
        cpu_hz=1,
        uarts=(UartSpec(name="usart1", baud_bps=115_200),),
        environments=(),
    )
    setup = GuestSetup(
        spec=spec,
        machine=_MACHINE,
        elf_path=Path("nowhere.elf"),
        command=QemuCommand(program=program, arguments=()),
        timing=Timing(
            icount_shift=3,
            time_warp_us=1000,
            rom_time_warp_us=1000,
            cpu_limit_s=1e6,
            wall_limit_s=wall_limit_s,
            grace_s=0.5,
        ),
        find_clock=lambda: GuestClock(
            name="ticks",
            entry=ENTRY,
            sync_point=TickWord(COUNTER, LATER),
            period_us=Fraction(10_000),
        ),
        names=SymbolAddresses({}),
        rom_wait=None,
        read_word=None,
        run_cpu_s=1e6,
        on_close=lambda: None,
    )
    return board_on(setup)
