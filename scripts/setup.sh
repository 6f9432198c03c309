#!/usr/bin/env bash
# Sets Wherefrom up in .venv, and runs its demo, tests and checks there; the Makefile only calls this.
#
#   scripts/setup.sh setup [run|dev]   install what running needs, or what the tests need too
#   scripts/setup.sh plain FOLDER      install the wheel without extras into a fresh environment, as a user would
#   scripts/setup.sh notebook [ARG ..] set up, install JupyterLab, open course/a5/play_char.ipynb
#   scripts/setup.sh demo              set up, then run the recipe `people`
#   scripts/setup.sh test [ARG ...]    set up, then pytest with these arguments
#   scripts/setup.sh nightly [ARG ...] set up, then every test; those of `test` with eight threads
#   scripts/setup.sh browser           set up what the tests of reports in a browser need: playwright, and chromium
#                                      where apt is to be had; and pyarrow, for the tests of parquet files
#   scripts/setup.sh check             set up, then ruff, pyright, the budget of lines of code, the CPU seconds of the last
#                                      `test` and, where there is npm, tsc
#   scripts/setup.sh docs              set up, then write docs/COMMANDS.md from the commands
#   scripts/setup.sh site              set up, then build the documentation as a site into build/site/html
#   scripts/setup.sh report RUN        set up, then write the report that comes with the package, and its picture
#   scripts/setup.sh bench             set up, then the benchmarks; figures into runs/benchmarks/
#   scripts/setup.sh attack [ARG ...]  failing file operations and flipped bits, counted in docs/RELIABILITY.md
#   scripts/setup.sh trust [ARG ...]   the figures of docs/TRUST.md from docs/results/; --take RUN ... takes audited runs over first
#   scripts/setup.sh gpu [ARG ...]     every figure that needs a GPU, into docs/research/RESULTS.md; DATA=FOLDER TEXTS=FOLDER
#   scripts/setup.sh lock [ARG ...]    write requirements/*.txt anew (--upgrade takes newer versions)
#   scripts/setup.sh clean             remove caches and build outputs (.venv and runs/ stay)
#
# PYTHON=python3.12         the Python to make .venv with (default python3)
# WHEREFROM_TORCH=cuda|cpu  torch's build; unset: keep the one in .venv, else the CPU build
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

torch_version=2.13.0
torch_cpu_index=https://download.pytorch.org/whl/cpu
uv_version=0.13.7
python=${PYTHON:-python3}
venv=.venv
venv_python=$venv/bin/python
stamp_file=.venv/.wherefrom-setup

say() { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }
usage() { sed -n '/^#   /s/^#   //p' scripts/setup.sh; }

# The venv's own pip, or, where Python came without ensurepip, the system's pip aimed at the venv.
pip() {
    local runner=("$venv_python" -m pip)
    [ -x "$venv/bin/pip" ] || runner=("$python" -m pip --python "$venv_python")
    "${runner[@]}" --disable-pip-version-check --no-input "$@"
}
install() { pip install -qq --progress-bar off "$@"; }

make_venv() {
    "$venv_python" -c '' 2>/dev/null && return
    command -v "$python" >/dev/null || fail "no '$python' found; Wherefrom needs Python 3.11 or newer"
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        fail "Wherefrom needs Python 3.11 or newer, found $("$python" --version 2>&1); name another with PYTHON=..."
    say "making $venv with $("$python" --version)"
    if "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        "$python" -m venv --clear "$venv"
    elif "$python" -c 'import venv' 2>/dev/null && "$python" -m pip --python "$(command -v "$python")" --version >/dev/null 2>&1; then
        "$python" -m venv --clear --without-pip "$venv"
    else
        fail "$python has no venv module that works; on Debian: apt install python3-venv"
    fi
}

# torch's build decides between 200 MB and several GB, so it is chosen here and not by the lock.
# Its dependencies come with the lock, except the CUDA build's own.
install_torch() {
    local asked=${WHEREFROM_TORCH:-any} found
    found=$("$venv_python" -c 'from importlib.metadata import version; print(version("torch"))' 2>/dev/null || true)
    case $asked:$found in
        "any:$torch_version" | "any:$torch_version"+* | "cpu:$torch_version+cpu" | \
            "cuda:$torch_version" | "cuda:$torch_version"+cu*) return ;;
    esac
    case $(uname -s):$asked in
        Darwin:*)
            say "installing torch $torch_version"
            install --no-deps "torch==$torch_version" ;;
        *:cuda)
            say "installing torch $torch_version, CUDA build (several GB)"
            install "torch===$torch_version" ;; # three signs: not 2.13.0+cpu, should pip be offered one
        *:any | *:cpu)
            say "installing torch $torch_version, CPU build"
            install --no-deps --no-index "torch==$torch_version+cpu" >/dev/null 2>&1 ||
                install --no-deps --index-url "$torch_cpu_index" "torch==$torch_version+cpu" ||
                fail "torch $torch_version+cpu came neither from pip's find-links nor from $torch_cpu_index" ;;
        *) fail "WHEREFROM_TORCH is '$asked'; it can be cuda, cpu or unset" ;;
    esac
}

setup() {
    local profile=${1:-run} key
    case $profile in run | dev) ;; *) fail "set-up is 'run' or 'dev', not '$profile'" ;; esac
    # What is in .venv follows from these; PWD because scripts in .venv hold its path.
    key=$({ cat scripts/setup.sh pyproject.toml requirements/*.txt; echo "$PWD ${WHEREFROM_TORCH:-any}"; } | cksum)
    case $(cat "$stamp_file" 2>/dev/null) in
        "$profile $key" | "dev $key") return ;;
        dev*) profile=dev ;; # never leave the test tools behind at old versions
    esac
    make_venv
    rm -f "$stamp_file"
    install_torch
    say "installing requirements/$profile.txt"
    install --require-hashes --no-deps -r "requirements/$profile.txt"
    say "installing wherefrom"
    install --no-deps --no-build-isolation -e .
    pip check >/dev/null || { pip check || true; fail "the packages in .venv do not fit; remove .venv and try again"; }
    echo "$profile $key" >"$stamp_file"
    say "done"
}

# What a user gets by `pip install wherefrom`: the wheel without extras and without the lock, beside torch's build of
# above. The wheel is built from a copy of what git tracks, since setuptools leaves folders beside what it builds.
plain() {
    [ $# = 1 ] || fail "plain FOLDER: where should the environment be?"
    local source
    source=$(mktemp -d)
    git ls-files -z pyproject.toml README.md LICENSE src | xargs -0 cp --parents -t "$source"
    venv=$1 venv_python=$1/bin/python
    make_venv
    install_torch
    pip wheel -qq --no-deps -w "$source/dist" "$source"
    install "$source"/dist/*.whl
    pip check
    rm -rf "$source"
}

# What few people need, on top of a profile: notebook, browser, bench, site. Their locks fit run.txt and dev.txt.
add() {
    local key
    key=$({ cat "requirements/$1.txt" "$stamp_file"; } | cksum)
    [ "$(cat "$stamp_file-$1" 2>/dev/null)" != "$key" ] || return 0
    say "installing requirements/$1.txt"
    install --require-hashes --no-deps -r "requirements/$1.txt"
    pip check >/dev/null || { pip check || true; fail "the packages in .venv do not fit; remove .venv and try again"; }
    echo "$key" >"$stamp_file-$1"
}

check() {
    local status=0
    "$venv_python" -m ruff check . || status=1
    "$venv_python" -m ruff format --check --quiet . ||
        { say "format these files: $venv_python -m ruff format ."; status=1; }
    # pyright's node comes from the lock; this stops it from looking for a newer pyright.
    PYRIGHT_PYTHON_IGNORE_WARNINGS=1 "$venv_python" -m pyright || status=1
    "$venv_python" scripts/budget.py || status=1
    check_scripts || status=1
    "$venv_python" -m tests.support.cpu_seconds || status=1
    return $status
}

# The tests of the report drive Debian's chromium. Without it they are skipped, so nothing here fails.
browser() {
    if command -v chromium >/dev/null; then
        say "chromium is there: $(chromium --version 2>/dev/null)"
    elif ! command -v apt-get >/dev/null; then
        say "no apt here, so no chromium: the tests of the report in a browser will be skipped"
    elif [ "$(id -u)" != 0 ]; then
        say "chromium is installed as root: sudo apt-get install chromium"
    else
        say "installing chromium"
        { apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y chromium fonts-inter; } >/dev/null 2>&1 ||
            say "chromium could not be installed: the tests of the report in a browser will be skipped"
    fi
}

# The page's scripts are plain JavaScript; their types stand in comments, and tsc checks them.
check_scripts() {
    local place=scripts/javascript project
    command -v npm >/dev/null || { say "no npm here: the page's scripts are not checked"; return 0; }
    [ -x "$place/node_modules/.bin/tsc" ] || npm ci --prefix "$place" --silent --no-audit --no-fund >/dev/null 2>&1 ||
        { say "npm cannot install typescript here: the page's scripts are not checked"; return 0; }
    for project in tsconfig.json tsconfig.engine.json; do
        "$place/node_modules/.bin/tsc" -p "$place/$project" || return 1
    done
}

# One process for each core, up to four: each makes its own tiny runs. What pytest makes of a test's
# assertions is kept in __pycache__, which saves half of the time to collect them.
run_tests() {
    env -u PYTHONDONTWRITEBYTECODE "$venv_python" -m pytest -q -n auto --maxprocesses 4 --dist worksteal "$@"
}

# Every test. Those of the fast tier run with more threads than there are cores, since sums in another
# order must not fail them. Both runs go to their ends, and skips must be known ones.
nightly() {
    local status=0
    OMP_NUM_THREADS=8 run_tests --known-skips "$@" || status=1
    run_tests --known-skips -m nightly "$@" || status=1
    return $status
}

bench() {
    local name
    for name in startup answering training evidence exposures; do
        "$venv_python" "benchmarks/$name.py" --json "runs/benchmarks/$name.json" "$@"
    done
}

gpu() { # the machine's own python, if its torch sees a GPU; else a .venv with the CUDA build
    local gpu_python=$python
    if ! "$gpu_python" -c 'import numpy, torch; raise SystemExit(not torch.cuda.is_available())' 2>/dev/null; then
        WHEREFROM_TORCH=cuda setup run
        gpu_python=$venv_python
    fi
    "$gpu_python" benchmarks/gpu.py ${DATA:+--data "$DATA"} ${TEXTS:+--language "$TEXTS"} "$@"
    "$gpu_python" benchmarks/results.py --gpu runs/gpu/gpu.jsonl
}

lock() {
    local tools profile
    tools=$(mktemp -d)
    # shellcheck disable=SC2064 # the folder of now
    trap "rm -rf '$tools'" EXIT
    "$python" -m venv "$tools"
    "$tools/bin/python" -m pip install -qq "uv==$uv_version"
    for profile in run dev notebook browser bench site; do
        say "locking requirements/$profile.txt"
        "$tools/bin/uv" pip compile --quiet --no-config --universal --python-version 3.11 \
            --fork-strategy fewest --generate-hashes --no-emit-index-url --no-emit-find-links \
            --custom-compile-command 'scripts/setup.sh lock' "$@" \
            -o "requirements/$profile.txt" "requirements/$profile.in"
        ! grep -nE '^(torch|triton|nvidia|cuda)[a-z0-9-]*==' "requirements/$profile.txt" ||
            fail "requirements/$profile.txt must hold neither torch nor CUDA packages"
    done
}

clean() {
    rm -rf build dist .pytest_cache .ruff_cache .hypothesis src/*.egg-info
    find . -path ./.venv -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +
}

command=${1:-help}
[ $# -eq 0 ] || shift
case $command in # "setup; ...", not "setup && ...", which would switch set -e off inside
    setup) setup "$@" ;;
    plain) plain "$@" ;;
    demo) setup run; exec .venv/bin/wherefrom run people "$@" ;;
    test) setup dev; run_tests "$@" ;;
    nightly) setup dev; nightly "$@" ;;
    notebook) setup run; add notebook; exec .venv/bin/jupyter lab course/a5/play_char.ipynb "$@" ;;
    browser) setup dev; add browser; browser ;;
    check) setup dev; check ;;
    docs) setup run; exec "$venv_python" -m typer wherefrom.cli.main utils docs --name wherefrom --output docs/COMMANDS.md ;;
    site) setup run; add site; exec "$venv_python" scripts/site.py ;;
    report) setup dev; add browser; exec "$venv_python" scripts/report_picture.py "$@" ;;
    bench) setup dev; add bench; bench "$@" ;;
    attack) setup dev; exec "$venv_python" benchmarks/attack.py --write "$@" ;;
    trust) setup run; exec "$venv_python" benchmarks/trust_results.py "$@" ;;
    gpu) gpu "$@" ;;
    lock) lock "$@" ;;
    clean) clean ;;
    help) usage ;;
    *) usage >&2; fail "no command '$command'" ;;
esac
