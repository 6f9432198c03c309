"""`python -m wherefrom`: the command without its installation."""

from wherefrom.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
