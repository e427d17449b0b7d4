"""Go through a script with the official client; run by a Python that has it.

Standard input is JSON: ``diagram``, ``firmware`` (a path), ``steps`` and ``pins``;
standard output the transcript. Server and token come by the variables of wokwi-cli.
"""

import asyncio
import json
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

WokwiClient: Any = import_module("wokwi_client").WokwiClient


async def main(told: dict[str, Any]) -> list[list[Any]]:
    """Return the transcript."""
    client = WokwiClient(os.environ["WOKWI_CLI_TOKEN"])
    await client.connect()
    await client.upload_text("diagram.json", told["diagram"])
    await client.upload("firmware.hex", Path(told["firmware"]).read_bytes())
    heard = bytearray()
    monitor = client.serial_monitor(heard.extend)
    await asyncio.sleep(0)  # it asks for the events, before there are any
    await client.start_simulation("firmware.hex", pause=True)
    transcript: list[list[Any]] = []
    for step in told["steps"]:
        if "send" in step:
            await client.serial_write(step["send"])
        if "control" in step:
            await client.set_control(*step["control"])
        await client.wait_until_simulation_time(step["until_ms"] / 1000)
        levels = [
            int((await client.read_pin(*pin.split(":")))["value"])
            for pin in told["pins"]
        ]
        transcript.append([client.last_pause_nanos, heard.decode(), levels])
        heard.clear()
    monitor.cancel()
    await client.disconnect()
    return transcript


if __name__ == "__main__":
    json.dump(asyncio.run(main(json.load(sys.stdin))), sys.stdout)
