"""The slider's thresholds, for relations of any name."""


def test_a_relation_may_be_called_like_something_that_every_object_has(run_js):
    code = """
    globalThis.document = { getElementById: () => null };
    const ask = (thresholds, names) => {
      const risk = new AcceptedRisk({ usual: 0, stops: [{ thresholds: JSON.parse(thresholds) }] });
      return names.map((name) => risk.threshold(name));
    };
    const names = ['constructor', 'toString', '__proto__', 'born'];
    return ask('{"born": 0.6, "__proto__": 0.5}', names);
    """
    found = run_js({"ui/risk.js": "AcceptedRisk"}, code, None)
    # A relation without a threshold is never answered.
    assert found == [2, 2, 0.5, 0.6]
