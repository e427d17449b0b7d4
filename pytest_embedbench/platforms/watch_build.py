"""SCons script that PlatformIO runs first: have each command tell what it reads.

Not imported by us; PlatformIO runs it inside its own Python. What is built is the same
with and without: lists are asked for by a variable and by options that change no file.
Each command leaves a note of its words, its end, and the lists that it wrote; if it may
be run again without PlatformIO (``replay_build.py``), of its line and variables, too.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
from functools import cache
from itertools import count
from pathlib import Path

from SCons.Environment import SubstitutionEnvironment
from SCons.Script import DefaultEnvironment
from SCons.Script.SConscript import SConsEnvironment

COMPILER = re.compile(r"(.*-)?(gcc|g\+\+|cc|c\+\+)(-[\d.]+)?")
ASSEMBLER = re.compile(r"(.*-)?as")
OPERATORS = {"&&", "||", ";", "|", "<", ">", ">>", "2>", "&"}
ENDS_EARLIER = {"-E", "-S", "-M", "-MM"}

env = DefaultEnvironment()
notes = Path(os.environ["EMBEDBENCH_READS"]).resolve()
shutil.rmtree(notes, ignore_errors=True)
notes.mkdir(parents=True)
numbers = count()
keeps_lines = "EMBEDBENCH_KEEPS_LINES" in os.environ


@cache
def is_gnu(program):
    """Say whether a compiler is GCC, whose lists we can ask for."""
    if "-" in program:  # a cross compiler's: avr-gcc
        return True
    argv = [program, "--version"]
    try:
        done = subprocess.run(argv, env=env["ENV"], capture_output=True, check=False)
    except OSError:
        return False
    return b"Free Software Foundation" in done.stdout


def words_of(args):
    """Return a command's words as its program gets them, if no more is to it."""
    try:
        words = [word for arg in args for word in shlex.split(arg)]
    except ValueError:
        return []
    return [] if OPERATORS & set(words) else words


def kind_of(words):
    """Say what a command does."""
    name = Path(words[0]).name if words else ""
    if COMPILER.fullmatch(name) and is_gnu(words[0]):
        if "-c" in words:
            return "compile"
        return "other" if ENDS_EARLIER & set(words) or "-o" not in words else "link"
    if ASSEMBLER.fullmatch(name):
        return "assemble"
    return "other"


def note_and_spawn(sh, escape, cmd, args, variables):
    """Run a command; what it reads goes into files of its number."""
    number = next(numbers)
    words = words_of(args)
    kind = kind_of(words)
    # As seen from where it runs: a name on the way may hold anything.
    lists = os.path.relpath(notes / str(number))
    if kind == "compile":
        # A user's own list leaves out the system's headers, and would be the only one.
        args = ["-MD" if arg == "-MMD" else arg for arg in args]
        args.append(f"-Wa,--MD,{lists}.as")
        variables = {**variables, "SUNPRO_DEPENDENCIES": f"{lists}.d"}
        variables.pop("DEPENDENCIES_OUTPUT", None)
    elif kind == "assemble":
        args = [*args, "--MD", f"{lists}.as"]
    elif kind == "link":
        args = [*args, "-Wl,--verbose", ">", f"{lists}.ld"]
    ended = spawn(sh, escape, cmd, args, variables)
    about = {"kind": kind, "words": words, "folder": str(Path.cwd()), "ended": ended}
    (notes / f"{number}.json").write_text(json.dumps(about))
    if keeps_lines:
        line = {"line": " ".join(args), "variables": dict(variables)}
        (notes / f"{number}.line").write_text(json.dumps(line))
    return ended


def cannot_tell(why):
    """Note what may read anything at all."""
    with (notes / "untold").open("a") as file:
        file.write(f"{why}\n")


def noting(method, why):
    """Return a method of SCons that notes some of its calls."""

    def noted(self, *args, **kwargs):
        reason = why(*args, **kwargs)
        if reason:
            cannot_tell(reason)
        return method(self, *args, **kwargs)

    return noted


def of_a_library(*args, exports=None, **_):
    """Say that SCons runs a script of a library, if it does."""
    theirs = "pio_lib_builder" in (exports or {}) and not is_ours(args[0])
    return f"the script {args[0]}" if theirs else ""


def is_ours(script):
    """Say whether a script is one of the bench's own."""
    return str(script).removeprefix("post:").removeprefix("pre:").startswith(own)


own = os.environ["EMBEDBENCH_PACKAGE"] + os.sep
for script in env.GetProjectOption("extra_scripts", []):
    if not is_ours(script):
        cannot_tell(f"the script {script}")
SubstitutionEnvironment.backtick = noting(
    SubstitutionEnvironment.backtick, "the command !{}".format
)
SConsEnvironment.SConscript = noting(SConsEnvironment.SConscript, of_a_library)
spawn = env["SPAWN"]
# SCons itself leaves back-quotes in a file's name to the shell.
env.Replace(SPAWN=note_and_spawn, ESCAPE=shlex.quote)
# It knows objects by what SCons has seen them read, which is not all.
env.CacheDir(None)
