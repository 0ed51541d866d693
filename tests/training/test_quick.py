import pytest

pytest.importorskip("sb3_contrib", reason="takes the extra `train`")
pytest.importorskip("matplotlib", reason="takes the extra `train`")

from catan_pz.rules import Rules
from catan_pz.training.quick import QuickArgs, train


@pytest.mark.parametrize(
    ("opponents", "names", "match"),
    [
        ([None], ["random"] * 2, r"option opponents=\[None\] .* 2 of them"),
        ([None] * 2, ["random"], r"option names=\['random'\] .* 2 of them"),
    ],
)
def test_others_than_those_of_a_table_are_refused(tmp_path, opponents, names, match):
    rules = Rules(num_players=3, trading=False).to_dict()
    out = tmp_path / "run"
    args = QuickArgs(rules=rules, against="random", reward="win_loss", out=str(out))
    with pytest.raises(ValueError, match=match):
        train(args, opponents, names, "")
    assert not out.exists()
