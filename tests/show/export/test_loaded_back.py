"""Exported folders in the tools that they are made for; each test needs an extra."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from msgspec.structs import replace
from safetensors.numpy import load_file, save_file

from tests.support.skips import require_extra
from wherefrom import api
from wherefrom.core.errors import Mismatch
from wherefrom.runs.opened_run import open_run
from wherefrom.show.export.export_check import check_export
from wherefrom.show.export.exporting import Exporter

pytestmark = pytest.mark.nightly

MODERN = ("model.ngrams=0",)
VANILLA = (*MODERN, "model.attention=causal", "model.norm=layer", "model.bias=true")
KINDS = {
    "GPT2LMHeadModel": (*VANILLA, "model.activation=gelu"),
    "ArceeForCausalLM": MODERN,
    "ApertusForCausalLM": (*MODERN, "model.qk_norm=true"),
}
# Long enough that the model is sure of something: the searches then find the same answers.
LONGER = ("stages.pretrain.steps=300", "stages.pretrain.batch=16", "model.n_embd=32")


@pytest.fixture(scope="module")
def exported(tmp_path_factory, tiny_settings):
    """Folders of checked exports by the name of their class, each made once."""
    require_extra("transformers")
    made = {}

    def export(name):
        if name not in made:
            folder = tmp_path_factory.mktemp("kinds")
            settings = [*tiny_settings, *KINDS[name], *LONGER]
            run = api.run("people", out=folder / "run", settings=settings).run
            made[name] = run, folder / "out", api.export(run, folder / "out", check=True)
        return made[name]

    return export


@pytest.mark.parametrize("name", KINDS)
def test_logits_and_answers_are_those_of_the_run(exported, name, tmp_path):
    _, _, found = exported(name)
    assert found.architecture == name
    assert found.check.logits <= 1e-4
    assert found.check.questions == 14
    assert found.check.equal + found.check.ties >= 12  # the two searches end a little otherwise
    run = open_run(exported(name)[0])
    (task,) = run.recipe.tasks
    run.recipe = replace(run.recipe, tasks=(replace(task, beams=1),))
    greedy = api.export(run, tmp_path / "out", check=True).check
    assert greedy.equal + greedy.ties == greedy.questions == 14


def test_changed_weights_are_noticed(exported):
    run, out, _ = exported("ArceeForCausalLM")
    opened = open_run(run)
    exporter = Exporter(opened, "with_pretraining", opened.model())
    weights = load_file(out / "model.safetensors")
    changed = weights | {"model.norm.weight": weights["model.norm.weight"] * np.float32(1.01)}
    save_file(changed, out / "model.safetensors")
    try:
        with pytest.raises(Mismatch, match=r"expected logits within 0\.0001"):
            check_export(exporter.answerer, out, exporter.asked)
    finally:
        save_file(weights, out / "model.safetensors")


def test_the_example_answers_and_names_a_foreign_character(exported, python_anew):
    _, out, _ = exported("GPT2LMHeadModel")
    call = [sys.executable, str(out / "example.py")]
    found, refused = (
        subprocess.run([*call, *asked], capture_output=True, text=True, check=False)
        for asked in ([], ["Where was Čapek born?"])
    )
    assert found.returncode == 0, found.stderr
    assert len(found.stdout.splitlines()) == 3
    assert refused.returncode == 1
    assert "example.py: 'Where was Čapek born?': the model has never seen 'Č'" in refused.stderr
    assert "Traceback" not in refused.stderr


@pytest.mark.parametrize("name", KINDS)
def test_transformer_lens_opens_it(exported, name):
    bridge = require_extra("transformer_lens.model_bridge")
    torch, transformers = require_extra("torch"), require_extra("transformers")
    out = exported(name)[1]
    lens = bridge.TransformerBridge.boot_transformers(str(out), device="cpu")
    model = transformers.AutoModelForCausalLM.from_pretrained(out)
    tokens = torch.arange(20)[None]
    with torch.no_grad():
        logits, cache = lens.run_with_cache(tokens)
        assert torch.allclose(logits, model(input_ids=tokens).logits, atol=1e-4)
    assert cache["blocks.0.attn.hook_pattern"].shape == (1, 2, 20, 20)


def test_the_harness_finds_our_accuracy_offline(exported, python_anew, tmp_path):
    require_extra("lm_eval")
    _, out, found = exported("ArceeForCausalLM")
    call = [
        sys.executable, "-m", "lm_eval", "--model", "hf", "--device", "cpu", "--batch_size", "4",
        "--model_args", f"pretrained={out}", "--include_path", str(out),
        "--tasks", "wherefrom_people_0", "--output_path", str(tmp_path),
    ]  # fmt: skip
    offline = dict.fromkeys(("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE"), "1")
    environment = os.environ | offline | {"HF_HOME": str(tmp_path / "home")}
    done = subprocess.run(call, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    (results,) = tmp_path.rglob("results*.json")
    scores = json.loads(results.read_text())["results"]["wherefrom_people_0"]
    assert scores["exact_match,none"] == found.accuracy.value
