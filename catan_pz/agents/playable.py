"""Games that an agent refuses to play."""

from catan_pz.rules import Rules


def refuse_others(
    name: str, rules: Rules, *, players: int | None = None, trading: bool = True
) -> None:
    """Refuse games of another number of players, and those with trade that an agent can't play.

    Args:
        name: of the agent.
        rules: of the game.
        players: how many the agent plays with, None for any number.
        trading: whether it plays games with trade between players.

    Raises:
        ValueError: names the agent, and what it plays.
    """
    if rules.trading and not trading:
        raise ValueError(f"agent {name!r} plays games without trade between players")
    if players is not None and rules.num_players != players:
        raise ValueError(
            f"agent {name!r} plays games of {players} players; this one has {rules.num_players}"
        )
