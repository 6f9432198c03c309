# Every target is one call of scripts/setup.sh, which works without make as well.
.NOTPARALLEL:
.PHONY: help setup demo notebook test nightly check docs bench trust gpu lock clean

help setup demo notebook test nightly check docs bench trust gpu lock clean:
	@bash scripts/setup.sh $@ $(ARGS)
