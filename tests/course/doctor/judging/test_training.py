"""What stages claim; what costs points is in test_a5_mistakes.py."""

from dataclasses import replace

import pytest
import torch

from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.judging import training
from wherefrom.course.doctor.years import YEARS

YEAR = YEARS["xcs2021"]
PRETRAIN = "    return config, Trainer(model, pretrain_dataset, None, config)"
SAVE = "torch.save(model.state_dict(), writing_params_path)"


def asked(name: str):
    return [r for r in training.requests(YEAR, 7) if r.name == name]


@pytest.mark.parametrize(
    ("file", "old", "new", "mistake", "message"),
    [
        ("helper.py", PRETRAIN, "    return config", "form",
         r"pretrain\(\) should return a config and a trainer, not TrainerConfig"),
        ("helper.py", PRETRAIN, "    return None, None", "unwritten", "sets up nothing yet"),
    ],
)  # fmt: skip
def test_other_settings_are_found(claimed, file, old, new, mistake, message):
    with pytest.raises(Finding, match=message) as caught:
        training.check_config(claimed(asked("pretrain"), (file, old, new)), "pretrain")
    assert caught.value.mistake == mistake


def test_workers_are_a_note(claimed):
    claims = claimed(asked("pretrain"), ("helper.py", "num_workers=4", "num_workers=0"))
    assert training.check_config(claims, "pretrain") == "num_workers=0, not 4: no matter"


def test_weights_that_were_changed_after_loading(claimed):
    load = "model.load_state_dict(torch.load(reading_params_path))"
    changed = ("helper.py", load, f"{load}; model.head.weight.data.zero_()")
    with pytest.raises(Finding, match=r"does not hold the file's parameters$"):
        training.check_loaded(claimed(asked("finetune"), changed))


@pytest.mark.parametrize(
    "before",
    ["model.head.weight.data.mul_(-9)", "[p.data.normal_(0, 0.05) for p in model.parameters()]"],
)
def test_saving_something_else_than_what_was_trained(claimed, before):
    """A file that differs from the start and has not learnt anything: random numbers, say."""
    spoilt = ("helper.py", SAVE, f"{before}; {SAVE}")
    with pytest.raises(Finding, match="before training") as caught:
        training.check_trains_once(claimed(asked("finetune-from-scratch"), spoilt))
    assert caught.value.mistake == "not written"


@pytest.mark.parametrize("ending", ["", "[:-1]"])
def test_a_file_may_end_with_a_newline_or_not(claimed, ending):
    """Hand-outs' data sets drop a last line that is empty, or expect none."""
    split = (
        "dataset.py",
        'self.data = data.strip().split("\\n")',
        f'self.data = data.split("\\n"){ending}',
    )
    claims = claimed(asked("finetune-from-scratch"), split)
    training.check_names(claims)
    training.check_trains_once(claims)


@pytest.mark.parametrize("stage", [training.PRETRAIN, training.FINETUNE])
def test_numbers_of_the_draw_under_one_name_are_no_model(claimed, stage):
    claims = claimed(asked(stage))
    training.check_whole(claims, stage)
    name, tensors = "tok_emb.weight", claims[stage].tensors
    few = replace(claims[stage], values={"weights": [name], "same": True})
    odd = replace(claims[stage], tensors={**tensors, "weights/pos_emb": torch.ones(1, 9, 16)})
    check = training.check_loaded if stage == training.FINETUNE else training.check_corpus
    for claim, said in ((few, "no parameter 'pos_emb'"), (odd, r"pos_emb of \(1, 9, 16\)")):
        claims.found[stage] = claim
        with pytest.raises(Finding, match=said):
            check(claims)
