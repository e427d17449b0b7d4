"""Run the commands of an earlier build once more, without PlatformIO.

A script of its own: ``python -I -S replay_build.py FILE``; it imports nothing of ours.
Compilers run side by side, then all else in its order. Each command leaves the note
that ``watch_build.py`` leaves of it. Exits 1 as soon as one fails.
"""

import json
import os
import sys
from pathlib import Path

TO_STDERR = [(os.POSIX_SPAWN_DUP2, 2, 1)]
SAYS_SIZE = []
"""What the command says that looks whether the program fits is all of our output."""


def main(file):
    """Run what ``file`` says; 0 if all went well."""
    recipe = json.loads(Path(file).read_bytes())
    os.chdir(recipe["folder"])
    compiling = [c for c in recipe["commands"] if c["kind"] == "compile"]
    others = [c for c in recipe["commands"] if c["kind"] != "compile"]
    went_well = all(side_by_side(recipe, compiling)) and all(one_by_one(recipe, others))
    if went_well and recipe["size"]:
        _, status = os.waitpid(start(recipe, recipe["size"], SAYS_SIZE), 0)
        went_well = status == 0
    return 0 if went_well else 1


def side_by_side(recipe, commands):
    """Return whether each command went well; all of them end."""
    waiting, running, ends = list(commands), {}, []
    while waiting or running:
        while waiting and len(running) < (os.cpu_count() or 1):
            command = waiting.pop(0)
            make_room_for(command["words"])
            running[start(recipe, command)] = command
        pid, status = os.wait()
        if pid in running:
            ends.append(note(recipe, running.pop(pid), status))
    return ends


def make_room_for(words):
    """Make the folder of an object, as SCons does."""
    place = Path(words[words.index("-o") + 1])
    place.parent.mkdir(parents=True, exist_ok=True)


def one_by_one(recipe, commands):
    """Yield whether each command went well; whoever stops at one starts no other."""
    for command in commands:
        _, status = os.waitpid(start(recipe, command), 0)
        yield note(recipe, command, status)


def start(recipe, command, files=TO_STDERR):
    """Start a command as SCons does; return its number."""
    variables = {**recipe["variables"], **command["variables"]}
    argv = ["sh", "-c", command["line"]]
    return os.posix_spawn("/bin/sh", argv, variables, file_actions=files)


def note(recipe, command, status):
    """Leave a note of a command that has ended; say whether it went well."""
    ended = os.waitstatus_to_exitcode(status)
    about = {name: command[name] for name in ("kind", "words")}
    about |= {"folder": recipe["folder"], "ended": ended}
    place = Path(recipe["notes"], f"{command['number']}.json")
    place.write_text(json.dumps(about))
    return ended == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
