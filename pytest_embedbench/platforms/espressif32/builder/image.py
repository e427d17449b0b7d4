"""Write the image that the ROM of an ESP32 loads: segments for RAM, and an entry.

python image.py ELF IMAGE CHIP MODE SPEED_MHZ SIZE
"""

import hashlib
import struct
import sys
from pathlib import Path

from elftools.elf.elffile import ELFFile

MAGIC = 0xE9
CHECKSUM_SEED = 0xEF
CHIPS = {"esp32": 0, "esp32c3": 5}
MODES = {"qio": 0, "qout": 1, "dio": 2, "dout": 3}
SPEEDS = {40: 0x0, 26: 0x1, 20: 0x2, 80: 0xF}
SIZES = {"1MB": 0, "2MB": 1, "4MB": 2, "8MB": 3, "16MB": 4}


def write_image(elf_path, image_path, *, mcu, flash):
    """Write ``image_path`` from the loadable segments of ``elf_path``.

    ``flash`` is the chip's mode, speed in MHz and size, as boards name them.
    """
    with Path(elf_path).open("rb") as file:
        elf = ELFFile(file)
        entry = elf["e_entry"]
        segments = [
            (segment["p_paddr"], padded(segment.data()))
            for segment in elf.iter_segments("PT_LOAD")
            if segment["p_filesz"]
        ]
    mode, speed_mhz, size = flash
    header = struct.pack(
        "<BBBBI", MAGIC, len(segments), MODES[mode],
        SIZES[size] << 4 | SPEEDS[speed_mhz], entry,
    )  # fmt: skip
    # No write-protect pin, no drive settings, any revision of the chip, a digest.
    more = struct.pack("<B3xHBHH4xB", 0xEE, CHIPS[mcu], 0, 0, 0xFFFF, 1)
    body = b"".join(struct.pack("<II", at, len(data)) + data for at, data in segments)
    checksum = CHECKSUM_SEED
    for _, data in segments:
        for byte in data:
            checksum ^= byte
    image = header + more + body
    image += bytes(15 - len(image) % 16) + bytes([checksum])
    Path(image_path).write_bytes(image + hashlib.sha256(image).digest())


def padded(data):
    """Return ``data`` with zeros up to a whole number of words."""
    return data + bytes(-len(data) % 4)


if __name__ == "__main__":
    elf, image, chip, mode, speed_mhz, size = sys.argv[1:]
    write_image(elf, image, mcu=chip, flash=(mode, int(speed_mhz), size))
