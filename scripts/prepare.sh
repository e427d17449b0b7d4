# Sourced by scripts/demo and scripts/test: everything a fresh machine lacks.
# Sets PYTHON to the interpreter of a private environment that has the package
# (editable) and the extras named in EXTRAS. PROGRAMS names more to have, as PROGRAM=PACKAGE
# or FOLDER=PACKAGE; PLAIN, if set, that nothing will be compiled or simulated. Cheap when
# nothing is missing, and then needs no network.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
VENV=${EMBEDBENCH_VENV:-$ROOT/.venv}
PYTHON=$VENV/bin/python

# Byte code, which the tests' many short runs live on, stays out of the checkout.
unset PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX=$VENV/pycache

say() { printf '== %s\n' "$*" >&2; }

die() {
    printf '== error: %s\n' "$*" >&2
    exit 1
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "this needs root and there is no sudo; run as root: $*"
    fi
}

# install_debian WHY PACKAGE...
install_debian() {
    local why=$1
    shift
    command -v apt-get >/dev/null ||
        die "$why, and there is no apt-get here; install your system's equivalent of: $*"
    say "$why: installing $* with apt-get"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "$@" >&2
}

has_library() {
    local folder
    for folder in /usr/lib /usr/lib64 /usr/local/lib /lib; do
        compgen -G "$folder/$1*" >/dev/null && return
        compgen -G "$folder/*/$1*" >/dev/null && return
    done
    return 1
}

system_packages() {
    local wanted=()
    echo '#include <stdio.h>' | cc -E - >/dev/null 2>&1 || wanted+=(gcc libc6-dev)
    has_library libsimavr.so.2 || wanted+=(libsimavr2)
    local program
    for program in ${PROGRAMS:-}; do
        command -v "${program%%=*}" >/dev/null || [ -d "${program%%=*}" ] ||
            wanted+=("${program#*=}")
    done
    [ ${#wanted[@]} = 0 ] || install_debian "programs missing" "${wanted[@]}"
    # Tests start an sshd of their own: the one that came just now is not to listen.
    if [[ " ${wanted[*]} " == *" openssh-server "* && -d /run/systemd/system ]]; then
        as_root systemctl disable --now ssh.service ssh.socket >/dev/null 2>&1 || true
    fi
}

find_python() {
    local candidate
    for candidate in ${EMBEDBENCH_PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$candidate"
            return
        fi
    done
    return 1
}

environment() {
    local base wanted stamp=$VENV/embedbench-installed-$EXTRAS
    base=$(find_python) || {
        install_debian "no Python found" python3 python3-venv
        base=$(find_python) || die "Python 3.11 or newer is needed; found $(python3 --version 2>&1)"
    }
    wanted="$ROOT $(cksum <"$ROOT/pyproject.toml")"
    if [ -x "$PYTHON" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then
        return
    fi
    if ! "$PYTHON" -m pip --version >/dev/null 2>&1; then
        say "making a Python environment in $VENV"
        "$base" -m venv --clear "$VENV" 2>/dev/null || {
            install_debian "Python's venv module missing" python3-venv
            "$base" -m venv --clear "$VENV"
        }
    fi
    say "installing the package and its Python tools ($EXTRAS) into $VENV"
    "$PYTHON" -m pip install --quiet --disable-pip-version-check --editable "$ROOT[$EXTRAS]"
    printf '%s\n' "$wanted" >"$stamp"
}

[ -n "${PLAIN:-}" ] || system_packages
environment
[ -n "${PLAIN:-}" ] && return
say "PlatformIO platforms of our own, so that builds need no registry"
"$PYTHON" -m pytest_embedbench.cli setup >&2
