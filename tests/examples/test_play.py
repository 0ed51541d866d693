import numpy as np
import pytest

from catan_pz.agents import network
from catan_pz.agents.network import DenseNetwork, Model
from catan_pz.observation.segments import SIZE
from catan_pz.rules import Rules
from tests.examples.programs import load

RULES = Rules(num_players=2, trading=False, victory_points=3, max_turns=30)


@pytest.fixture
def file(tmp_path):
    weight = np.random.default_rng(1).normal(0, 0.2, (252, SIZE)).astype(np.float32)
    network = DenseNetwork({"weight_0": weight, "bias_0": np.zeros(252, np.float32)})
    model = Model(network, "logits", "sample", RULES.to_dict(), {"frames": 1})
    model.save(tmp_path / "tiny.npz")
    return tmp_path / "tiny.npz"


def test_evaluate_plays_by_the_models_rules(file, capsys):
    evaluate = load("evaluate")
    arguments = [str(file), "--games=16", "--against=random", "--against=weighted", "--seed=3"]
    results = evaluate.main(arguments)
    assert [result["against"] for result in results] == ["random", "weighted"]
    for result in results:
        assert result["won"] == pytest.approx(16 * result["win_rate"])
        assert result["interval"][0] < result["win_rate"] < result["interval"][1]
        assert np.mean(result["by_seat"]) == pytest.approx(result["win_rate"])
    assert capsys.readouterr().out.count("\n") == 2
    assert evaluate.main(arguments) == results


def test_evaluate_takes_names_and_line_ups():
    evaluate = load("evaluate")
    table = ["--players=3", "--no-trading", "--games=3"]
    (result,) = evaluate.main(["weighted", "--against=random,weighted", *table])
    assert result["games"] == 6  # one for each way to seat three different agents


def test_a_shipped_model_has_a_card_and_a_name(file, tmp_path, monkeypatch):
    evaluate = load("evaluate")
    folder = tmp_path / "models"
    for module in (network, evaluate):
        monkeypatch.setattr(module, "SHIPPED", folder)
    (result,) = evaluate.main([str(file), "--games=10", "--against=random", "--ship=tiny-2p"])
    shipped = Model.read(folder / "tiny-2p.npz")
    assert shipped.card["frames"] == 1
    assert shipped.card["results"][0]["won"] == result["won"]
    card = (folder / "tiny-2p.md").read_text(encoding="utf-8")
    assert card == shipped.card_text("tiny-2p")
    assert "| random | 10 |" in card
    with pytest.raises(ValueError, match="ship"):
        evaluate.main([str(file), "--games=2", "--against=random", "--ship=../x"])


def test_a_person_plays_to_the_end(file, capsys):
    play = load("play_against")
    typed = iter(["x", "999", "\N{SUPERSCRIPT TWO}", "9" * 5000])
    arguments = [str(file), "--seed=5", "--seat=1", "--no-color"]
    winner = play.main(arguments, lambda _: next(typed, "0"))
    shown = capsys.readouterr().out
    assert winner in (0, 1, None)
    assert shown.count("a number from 0 to") == 4
    assert f"player {winner} has won" in shown or winner is None
    assert play.main(arguments, lambda _: "0") == winner
