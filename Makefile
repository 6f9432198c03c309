# Every target is one call of scripts/setup.sh, which works without make as well.
.NOTPARALLEL:
.PHONY: help setup demo notebook browser test nightly check docs site report bench attack trust gpu lock clean

help setup demo notebook browser test nightly check docs site report bench attack trust gpu lock clean:
	@bash scripts/setup.sh $@ $(ARGS)
