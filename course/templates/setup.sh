#!/usr/bin/env bash
# Gradescope runs this once, as root, while it builds the autograder's image.
set -euo pipefail
place="${AUTOGRADER:-/autograder}"
cd "$place/source"
apt-get update -qq
apt-get install -y -qq --no-install-recommends bubblewrap python3-venv
python=python3
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    python3 -m venv "$place/tools"
    "$place/tools/bin/pip" install -q uv
    "$place/tools/bin/uv" python install -q 3.12
    python="$("$place/tools/bin/uv" python find 3.12)"
fi
"$python" -m venv "$place/venv"
# The CPU build of torch, so that the gigabytes of CUDA are not installed.
"$place/venv/bin/pip" install -q --extra-index-url https://download.pytorch.org/whl/cpu "./{{ wheel }}"
