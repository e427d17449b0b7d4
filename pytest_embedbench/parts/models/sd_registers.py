"""What an SD card says of itself, and the checksums that it sends and expects.

By the SD Association's "Physical Layer Simplified Specification", version 2.00: 4.5
(CRC), 5.1 (OCR), 5.2 (CID) and 5.3.2 (CSD version 1.0).
"""

from __future__ import annotations

from binascii import crc_hqx

_POLYNOMIAL_7 = 0x09
_BLOCK_BITS = 9
"""Of what is read and written at once: 512 bytes."""
_SIZE_BITS = 4
"""Blocks are counted in sixteens."""
OCR_VOLTAGES = 0x00FF_8000
"""2.7 to 3.6 V; addresses are of bytes, for the capacity is a standard one."""
OCR_READY = 0x8000_0000


def crc7(data: bytes) -> int:
    """Return the checksum of commands and registers, with the end bit behind it."""
    crc = 0
    for byte in data:
        for bit in range(7, -1, -1):
            is_carry = crc >> 6 ^ byte >> bit & 1
            crc = crc << 1 & 0x7F ^ (_POLYNOMIAL_7 if is_carry else 0)
    return crc << 1 | 1


def crc16(data: bytes) -> bytes:
    """Return the checksum of a block of data."""
    return crc_hqx(data, 0).to_bytes(2)


def cid() -> bytes:
    """Return the identification: a card of no maker, of January 2020."""
    body = b"\x00EBBENCH\x10" + (1).to_bytes(4) + b"\x01\x41"
    return body + bytes([crc7(body)])


def csd(blocks: int) -> bytes:
    """Return the specific data of a card of so many blocks, a multiple of 16."""
    fields = (
        (2, 0),  # version 1.0
        (6, 0),
        (8, 0x26),  # TAAC: 1.5 ms
        (8, 0),  # NSAC
        (8, 0x32),  # TRAN_SPEED: 25 MHz
        (12, 0x135),  # CCC: basic, read, write, erase, application
        (4, _BLOCK_BITS),
        (4, 0b1000),  # reads parts of blocks
        (2, 0),
        (12, (blocks >> _SIZE_BITS) - 1),  # C_SIZE
        (12, 0o6666),  # currents
        (3, _SIZE_BITS - 2),  # C_SIZE_MULT
        (1, 1),  # erases single blocks
        (7, 31),  # SECTOR_SIZE
        (8, 0),  # no write protection
        (2, 0),
        (3, 2),  # R2W_FACTOR: writing takes four times as long
        (4, _BLOCK_BITS),
        (1, 0),  # writes whole blocks alone
        (13, 0),
    )
    value = 0
    for width, field in fields:
        value = value << width | field
    body = value.to_bytes(15)
    return body + bytes([crc7(body)])
