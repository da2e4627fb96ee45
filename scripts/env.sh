# Sourced by the four commands beside it. `need run|dev|bench` creates .venv and installs one committed lock into it
# once; a second call only compares files. `need run --beside` does not wait for the native search cores.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cd "$ROOT"
VENV=${KLOP_VENV:-$ROOT/.venv}
PY=$VENV/bin/python
export PIP_DISABLE_PIP_VERSION_CHECK=1

fail() {
    printf '%s\n' "$@" >&2
    exit 1
}

fits() { "$1" -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null; }

find_python() {
    local candidate
    for candidate in "${PYTHON:-}" python3 python3.13 python3.12 python3.11 python; do
        [ -n "$candidate" ] && command -v "$candidate" >/dev/null 2>&1 && fits "$candidate" || continue
        command -v "$candidate"
        return
    done
    fail "Klop needs Python 3.11, 3.12 or 3.13 with venv and pip." \
         "On Debian or Ubuntu: apt install python3 python3-venv python3-pip; or name one: PYTHON=/path/to/python3.12"
}

need() {
    local lock=$ROOT/locks/$1.txt stamp=$VENV/.installed-$1
    if ! "$PY" -c '' 2>/dev/null; then
        local base
        base=$(find_python)
        rm -rf "$VENV"
        echo "Creating $VENV (once)" >&2
        "$base" -m venv "$VENV"
    fi
    cmp -s "$lock" "$stamp" || install_lock "$1" "$lock" "$stamp"
    # Build the native search cores if there is a C++ compiler and they are out of date; a failure is no error.
    "$PY" -P engine/build.py --once "${@:2}" || true
}

install_lock() {
    echo "Installing locks/$1.txt (once)" >&2
    "$PY" -m pip install --quiet --no-deps --only-binary :all: --require-hashes -r "$2" >&2 ||
        fail "The packages could not be installed: see pip's message above, then run the same command again."
    cp "$2" "$3"
}
