#!/usr/bin/env bash
# Gradescope runs this once, as root, while it builds the autograder's image.
set -euo pipefail
cd "${AUTOGRADER:-/autograder}/source"
apt-get update -qq
apt-get install -y -qq --no-install-recommends bubblewrap python3-venv
python3 -m venv /autograder/tools
/autograder/tools/bin/pip install -q uv
/autograder/tools/bin/uv venv -q --python ">=3.11" /autograder/venv
export VIRTUAL_ENV=/autograder/venv
# The CPU build of torch comes first, so that the gigabytes of CUDA are not installed.
/autograder/tools/bin/uv pip install -q torch --index-url https://download.pytorch.org/whl/cpu
/autograder/tools/bin/uv pip install -q "./{{ wheel }}"
