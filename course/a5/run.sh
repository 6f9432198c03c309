#!/usr/bin/env bash
# ./run.sh NAME [options]: one of the assignment's commands; './run.sh' alone lists them.
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
python="${PYTHON:-}"
if [ -z "$python" ]; then
    python="$here/../../.venv/bin/python"
    [ -x "$python" ] || python="$(command -v python || command -v python3)"
fi
if [ "$#" -eq 0 ]; then
    exec "$python" -c "
import sys
from wherefrom.course.classroom.assignment_commands import COMMANDS
print('usage: ./run.sh NAME [options]; NAME is one of')
print(*('  ' + name for name in [*COMMANDS, 'hand_in']), sep='\n')
sys.exit(2)"
fi
if [ "$1" = hand_in ]; then # checks and packs what is to be handed in
    shift
    exec "$python" "$here/hand_in.py" "$@"
fi
exec "$python" "$here/run.py" "$@"
