"""microSD in SPI mode, by a driver from the SD Association's specification."""

from __future__ import annotations

import binascii
import struct
from typing import Protocol

import pytest

from tests.support.bit_bus import ByteSpi, SoftSpi
from tests.support.placed import OnTable

BLOCK = 512
BLOCKS = 16_384
FILL = 0xFF


class Spi(Protocol):
    def chosen(self, *, is_selected: bool) -> None: ...
    def transfer(self, byte: int) -> int: ...


def crc7_of(command: bytes) -> int:
    """Return what division by x^7 + x^3 + 1 leaves, and the end bit."""
    rest = int.from_bytes(command) << 7
    for bit in range(rest.bit_length() - 1, 6, -1):
        if rest >> bit & 1:
            rest ^= 0b1000_1001 << bit - 7
    return rest << 1 | 1


class Host:
    def __init__(self, spi: Spi | None = None, *, begin: bool = True) -> None:
        self.it = OnTable("wokwi-microsd-card")
        self.spi: Spi = spi or ByteSpi(self.it.wires)
        for _ in range(10):
            self.spi.transfer(FILL)
        if begin:
            self.begin()

    def command(self, index: int, argument: int = 0, crc: int | None = None) -> int:
        """Send a command, and return R1; the card stays selected."""
        self.spi.chosen(is_selected=True)
        self.wait_until_free()
        frame = bytes((0x40 | index,)) + argument.to_bytes(4)
        for byte in (*frame, crc7_of(frame) if crc is None else crc):
            self.spi.transfer(byte)
        if index == 12:
            self.spi.transfer(FILL)
        answers = [self.spi.transfer(FILL) for _ in range(8)]
        found = next((it for it in answers if it < 0x80), None)
        if found is None:
            raise TimeoutError
        return found

    def ask(self, index: int, argument: int = 0, crc: int | None = None) -> int:
        """Send a command that has no more than R1 for an answer."""
        try:
            return self.command(index, argument, crc)
        finally:
            self.end()

    def ask_more(self, index: int, argument: int, more: int) -> bytes:
        """Return R1 and what is right behind it."""
        self.spi.chosen(is_selected=True)
        frame = bytes((0x40 | index,)) + argument.to_bytes(4)
        for byte in (*frame, crc7_of(frame)):
            self.spi.transfer(byte)
        while (status := self.spi.transfer(FILL)) & 0x80:
            pass
        answer = bytes(self.spi.transfer(FILL) for _ in range(more))
        self.end()
        return bytes((status,)) + answer

    def end(self) -> None:
        self.spi.chosen(is_selected=False)
        self.spi.transfer(FILL)

    def wait_until_free(self) -> None:
        for _ in range(1000):
            if self.spi.transfer(FILL) == FILL:
                return
        raise TimeoutError

    def app(self, index: int, argument: int = 0) -> int:
        self.ask(55)
        return self.ask(index, argument)

    def begin(self) -> None:
        assert self.ask(0) == 0x01
        assert self.ask_more(8, 0x1AA, 4) == b"\x01\x00\x00\x01\xaa"
        for _ in range(10_000):
            if not self.app(41, 1 << 30):
                return
        raise TimeoutError

    def take(self, size: int) -> bytes:
        """Take a block that is sent."""
        for _ in range(1000):
            token = self.spi.transfer(FILL)
            if token != FILL:
                break
        else:
            raise TimeoutError
        if token != 0xFE:
            raise BadTokenError(token)
        data = bytes(self.spi.transfer(FILL) for _ in range(size))
        crc = bytes(self.spi.transfer(FILL) for _ in range(2))
        assert crc == binascii.crc_hqx(data, 0).to_bytes(2)
        return data

    def read(self, block: int) -> bytes:
        assert self.ask_kept(17, block * BLOCK) == 0
        data = self.take(BLOCK)
        self.end()
        return data

    def ask_kept(self, index: int, argument: int) -> int:
        """Send a command by which data comes: what follows R1 is kept."""
        self.spi.chosen(is_selected=True)
        self.wait_until_free()
        frame = bytes((0x40 | index,)) + argument.to_bytes(4)
        for byte in (*frame, crc7_of(frame)):
            self.spi.transfer(byte)
        while (status := self.spi.transfer(FILL)) & 0x80:
            pass
        return status

    def give(self, data: bytes, *, token: int = 0xFE, crc: bytes | None = None) -> int:
        """Send a block, and return the answer to it."""
        checksum = binascii.crc_hqx(data, 0).to_bytes(2) if crc is None else crc
        for byte in (FILL, token, *data, *checksum):
            self.spi.transfer(byte)
        return self.spi.transfer(FILL) & 0x1F

    def write(self, block: int, data: bytes) -> None:
        assert self.ask_kept(24, block * BLOCK) == 0
        assert self.give(data) == 0x05
        self.end()


class BadTokenError(Exception):
    """The card sent no data but said why."""


def pattern(seed: int) -> bytes:
    return bytes((seed + index * 7) & 0xFF for index in range(BLOCK))


class TestBeginning:
    def test_it_says_nothing_before_a_right_cmd0(self) -> None:
        host = Host(begin=False)
        for index, crc in ((8, None), (55, None), (0, 0x00)):
            with pytest.raises(TimeoutError):
                host.ask(index, 0, crc)
        host.begin()

    def test_it_takes_10_ms_and_more_than_one_question(self) -> None:
        host = Host(begin=False)
        host.ask(0)
        asked_us = host.it.wires.now_ticks / 16
        answers = [host.app(41, 1 << 30)]
        while answers[-1]:
            answers.append(host.app(41, 1 << 30))
        taken_us = host.it.wires.now_ticks / 16 - asked_us
        assert {*answers[:-1]} == {0x01}
        assert taken_us == pytest.approx(10_000, abs=200)

    def test_ocr_says_when_it_is_ready_and_of_what_kind(self) -> None:
        host = Host(begin=False)
        host.ask(0)
        assert host.ask_more(58, 0, 4) == bytes.fromhex("01 00ff8000")
        host.begin()
        assert host.ask_more(58, 0, 4) == bytes.fromhex("00 80ff8000")

    def test_what_is_for_later_is_illegal_while_it_is_idle(self) -> None:
        host = Host(begin=False)
        host.ask(0)
        for index in (9, 13, 16, 17, 24, 41):
            assert host.ask(index) == 0x05
        host.begin()
        assert host.ask(41) == 0x04
        assert host.ask(42) == 0x04
        assert host.ask(0) == 0x01
        assert host.ask(17) == 0x05

    def test_cmd8_wants_its_checksum_and_its_voltage(self) -> None:
        host = Host(begin=False)
        host.ask(0)
        assert host.ask(8, 0x1AA, 0x01) == 0x09
        assert host.ask_more(8, 0x25A, 4) == b"\x01\x00\x00\x00\x5a"

    def test_cmd1_will_do_as_well(self) -> None:
        host = Host(begin=False)
        host.ask(0)
        while host.ask(1):
            pass
        assert host.read(1) == bytes(BLOCK)


class TestRegisters:
    def test_csd_has_its_size(self) -> None:
        host = Host()
        assert host.ask_kept(9, 0) == 0
        csd = host.take(16)
        assert csd[15] == crc7_of(csd[:15])
        bits = int.from_bytes(csd)
        c_size, mult, length = bits >> 62 & 0xFFF, bits >> 47 & 7, bits >> 80 & 15
        assert bits >> 126 == 0
        assert (c_size + 1 << mult + 2) << length == BLOCKS * BLOCK

    def test_cid_has_its_checksum(self) -> None:
        host = Host()
        assert host.ask_kept(10, 0) == 0
        cid = host.take(16)
        assert cid[15] == crc7_of(cid[:15])
        assert cid[3:8] == b"BENCH"

    def test_status_has_two_bytes(self) -> None:
        assert Host().ask_more(13, 0, 1) == b"\x00\x00"


class TestBlocks:
    def test_what_is_written_is_read(self) -> None:
        host = Host()
        for block in (1000, BLOCKS - 1):
            host.write(block, pattern(block))
        assert host.read(1000) == pattern(1000)
        assert host.read(BLOCKS - 1) == pattern(BLOCKS - 1)
        assert host.read(1001) == bytes(BLOCK)

    def test_a_block_takes_its_time(self) -> None:
        host = Host()
        assert host.ask_kept(17, 0) == 0
        asked_us = host.it.wires.now_ticks / 16
        host.take(BLOCK)
        taken_us = host.it.wires.now_ticks / 16 - asked_us - 2 * (BLOCK + 3)
        assert taken_us == pytest.approx(100, abs=8)
        host.end()
        host.write(5, pattern(5))
        written_us = host.it.wires.now_ticks / 16
        host.spi.chosen(is_selected=True)
        host.wait_until_free()
        assert host.it.wires.now_ticks / 16 - written_us == pytest.approx(500, abs=8)

    def test_while_it_is_busy_it_hears_nothing(self) -> None:
        host = Host()
        host.write(7, pattern(7))
        host.spi.chosen(is_selected=True)
        for byte in (0x4D, 0, 0, 0, 0, crc7_of(b"\x4d\0\0\0\0")):
            assert host.spi.transfer(byte) == 0
        host.wait_until_free()
        assert host.spi.transfer(FILL) == FILL

    def test_many_blocks_are_read_until_it_is_stopped(self) -> None:
        host = Host()
        for block in range(2000, 2003):
            host.write(block, pattern(block))
        assert host.ask_kept(18, 2000 * BLOCK) == 0
        host.end()  # some drivers let go between the blocks
        for block in (2000, 2001):
            host.spi.chosen(is_selected=True)
            assert host.take(BLOCK) == pattern(block)
            host.end()
        assert host.ask(12) == 0
        assert host.read(2002) == pattern(2002)

    def test_a_stop_within_a_block_ends_it(self) -> None:
        host = Host()
        host.ask_kept(18, 0)
        for _ in range(100):
            host.spi.transfer(FILL)
        for byte in (0x4C, 0, 0, 0, 0, 0x61):
            host.spi.transfer(byte)
        host.spi.transfer(FILL)
        assert [host.spi.transfer(FILL) for _ in range(4)] == [FILL, 0, FILL, FILL]

    def test_many_blocks_are_written_until_a_token(self) -> None:
        host = Host()
        assert host.app(23, 3) == 0
        assert host.ask_kept(25, 300 * BLOCK) == 0
        for block in range(300, 303):
            assert host.give(pattern(block), token=0xFC) == 0x05
            host.wait_until_free()
        host.spi.transfer(0xFD)
        host.spi.transfer(FILL)
        assert host.spi.transfer(FILL) == 0
        host.wait_until_free()
        host.end()
        for block in range(300, 303):
            assert host.read(block) == pattern(block)
        assert host.read(303) == bytes(BLOCK)

    def test_parts_of_blocks_are_read(self) -> None:
        host = Host()
        host.write(40, pattern(3))
        assert host.ask(16, 16) == 0
        assert host.ask_kept(17, 40 * BLOCK + 32) == 0
        assert host.take(16) == pattern(3)[32:48]
        host.end()
        assert host.ask(17, 40 * BLOCK + 500) == 0x20
        assert host.ask(24, 40 * BLOCK) == 0x40
        assert host.ask(16, 0) == 0x40
        assert host.ask(16, 513) == 0x40

    @pytest.mark.parametrize("index", [17, 18, 24, 25])
    def test_addresses_are_of_whole_blocks_on_the_card(self, index: int) -> None:
        host = Host()
        assert host.ask(index, 1) == 0x20
        assert host.ask(index, BLOCKS * BLOCK) == 0x40

    def test_reading_and_writing_end_with_the_card(self) -> None:
        host = Host()
        assert host.ask_kept(18, (BLOCKS - 1) * BLOCK) == 0
        host.take(BLOCK)
        with pytest.raises(BadTokenError, match="8"):
            host.take(BLOCK)
        host.end()
        assert host.ask_kept(25, (BLOCKS - 1) * BLOCK) == 0
        assert host.give(pattern(1), token=0xFC) == 0x05
        host.wait_until_free()
        assert host.give(pattern(2), token=0xFC) == 0x0D

    def test_checksums_count_once_they_are_asked_for(self) -> None:
        host = Host()
        host.ask_kept(24, 9 * BLOCK)
        assert host.give(pattern(9), crc=b"\xff\xff") == 0x05
        host.end()
        host.spi.chosen(is_selected=True)
        host.wait_until_free()
        assert host.ask(59, 1) == 0
        assert host.ask(13, 0, 0x01) == 0x08
        host.ask_kept(24, 10 * BLOCK)
        assert host.give(pattern(10), crc=b"\xff\xff") == 0x0B
        host.end()
        assert host.read(10) == bytes(BLOCK)
        assert host.ask(59, 0) == 0
        assert host.ask(13, 0, 0x01) == 0

    def test_blocks_are_erased(self) -> None:
        host = Host()
        assert host.ask(38) == 0x10
        for block in range(50, 54):
            host.write(block, pattern(block))
        assert host.ask(32, 51 * BLOCK) == 0
        assert host.ask(33, 52 * BLOCK) == 0
        assert host.ask(38) == 0
        blank = [host.read(block) == bytes(BLOCK) for block in range(50, 54)]
        assert blank == [False, True, True, False]


def test_bit_by_bit_in_mode_3() -> None:
    it = OnTable("wokwi-microsd-card")
    spi = SoftSpi(it.wires, ("SCK", "DI", "CS"), "DO", idles_high=True)
    spi.chosen(is_selected=True)
    sent = (0x40, 0, 0, 0, 0, 0x95, FILL, FILL, FILL)
    assert [spi.transfer(byte) for byte in sent][-3:] == [FILL, 0x01, FILL]


class Disk:
    """FAT16 by Microsoft's paper, as little as it takes to write a file."""

    def __init__(self) -> None:
        self.host = Host()
        table = self.host.read(0)
        assert table[510:] == b"\x55\xaa"
        assert table[446] == 0
        self.first = int.from_bytes(table[454:458], "little")
        boot = self.host.read(self.first)
        assert boot[510:] == b"\x55\xaa"
        size, self.per_cluster, reserved, fats, entries, total, medium, per_fat = (
            struct.unpack_from("<HBHBHHBH", boot, 11)
        )
        assert (size, medium) == (BLOCK, 0xF8)
        self.fat = self.first + reserved
        self.root = self.fat + fats * per_fat
        self.data = self.root + entries * 32 // BLOCK
        clusters = (total - (self.data - self.first)) // self.per_cluster
        assert 4085 <= clusters < 65_525  # which makes it FAT16
        assert (clusters + 2) * 2 <= per_fat * BLOCK
        assert self.first + total <= BLOCKS
        self.links = bytearray(self.host.read(self.fat))
        assert self.links == b"\xf8\xff\xff\xff".ljust(BLOCK, b"\0")
        assert self.host.read(self.fat + per_fat) == self.links
        self.next_cluster = 2

    def store(self, content: bytes) -> int:
        """Store content in every other cluster, and return the first one."""
        first = self.next_cluster
        size = self.per_cluster * BLOCK
        starts = range(0, max(len(content), 1), size)
        for start in starts:
            cluster, self.next_cluster = self.next_cluster, self.next_cluster + 2
            block = self.data + (cluster - 2) * self.per_cluster
            padded = content[start : start + size].ljust(size, b"\0")
            for index in range(self.per_cluster):
                part = padded[index * BLOCK : (index + 1) * BLOCK]
                self.host.write(block + index, part)
            link = 0xFFFF if start == starts[-1] else self.next_cluster
            struct.pack_into("<H", self.links, 2 * cluster, link)
        self.host.write(self.fat, bytes(self.links))
        return first

    def files(self) -> object:
        return self.host.it.see("files")


def entry(
    name: bytes, cluster: int, size: int = 0, *, attributes: int = 0x20, case: int = 0
) -> bytes:
    return struct.pack("<11sBB13xHI", name, attributes, case, cluster, size)


def long_entries(name: str, *, last: int) -> bytes:
    """Return the entries of a long name; the last part comes first."""
    letters = (name + "\0").encode("utf-16-le")
    parts = [letters[start : start + 26] for start in range(0, len(letters), 26)]
    entries = b""
    for index, part in reversed([*enumerate(parts, start=1)]):
        full = part.ljust(26, b"\xff")
        mark = index | (last if index == len(parts) else 0)
        entries += struct.pack(
            "<B10sBBB12sH4s", mark, full[:10], 0x0F, 0, 0, full[10:22], 0, full[22:]
        )
    return entries


class TestFiles:
    def test_a_new_card_has_none(self) -> None:
        assert Disk().files() == ()

    def test_files_of_the_root_directory_and_below(self) -> None:
        disk = Disk()
        log = b"".join(b"line %d\r\n" % number for number in range(400))
        below = disk.store(b"deep")
        folder = entry(b".          ", 0, attributes=0x10) + entry(
            b"DEEP    BIN", below, 4
        )
        entries = (
            entry(b"CARD       ", 0, attributes=0x08),
            entry(b"LOG     TXT", disk.store(log), len(log)),
            entry(b"\xe5LD     TXT", 9, 5),
            entry(b"SUB        ", disk.store(folder), attributes=0x10),
            entry(b"EMPTY   DAT", 0),
            entry(b"MIXED   TXT", disk.store(b"abc"), 3, case=0x18),
        )
        disk.host.write(disk.root, b"".join(entries).ljust(BLOCK, b"\0"))
        assert disk.files() == (
            ("LOG.TXT", log),
            ("SUB/DEEP.BIN", b"deep"),
            ("EMPTY.DAT", b""),
            ("mixed.txt", b"abc"),
        )

    def test_long_names(self) -> None:
        disk = Disk()
        name = "temperatures of the kitchen.csv"
        entries = long_entries(name, last=0x40) + entry(
            b"TEMPER~1CSV", disk.store(b"21"), 2
        )
        disk.host.write(disk.root, entries.ljust(BLOCK, b"\0"))
        assert disk.files() == ((name, b"21"),)

    def test_what_is_damaged_does_no_harm(self) -> None:
        disk = Disk()
        cluster = disk.store(b"x" * 3000)
        struct.pack_into("<H", disk.links, 2 * cluster, cluster)
        disk.host.write(disk.fat, bytes(disk.links))
        loop = entry(b"LOOP       ", cluster, 3000)
        beyond = entry(b"BEYOND     ", 0xF000, 10)
        itself = entry(b"ITSELF     ", disk.next_cluster, attributes=0x10)
        disk.store(16 * itself)
        disk.host.write(disk.root, (loop + beyond + itself).ljust(BLOCK, b"\0"))
        size = disk.per_cluster * BLOCK
        assert disk.files() == (("LOOP", b"x" * size), ("BEYOND", b""))
        disk.host.write(disk.first, bytes(BLOCK))
        assert disk.files() == ()
