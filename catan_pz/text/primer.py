"""A brief text of the rules and the names of places, for readers of the game as text."""

from typing import Final

RULES: Final = """\
Settlers of Catan, the base game. Costs: road 1 brick + 1 lumber; settlement 1 brick + 1 lumber + \
1 wool + 1 grain; city 2 grain + 3 ore on one of your settlements; development card 1 wool + 1 \
grain + 1 ore. Settlements count 1 point, cities 2, longest road (from 5) and largest army (from 3 \
knights) 2 each. Each player begins with two settlements and a road at each; the second one brings \
1 card of each hex around it. No two buildings are joined by one edge. A roll gives each \
settlement 1 card and each city 2 of the hexes with that number, except the robber's hex. A 7 \
costs half of large hands and moves the robber, which steals a card of a player there. The bank \
gives 1 card for 4 alike, with harbors for 3 or 2. Development cards: 14 knights (move the \
robber), 5 victory points (1 each, hidden), 2 each of road building (2 free roads), year of plenty \
(2 cards of the bank) and monopoly (all cards of one resource); they can be played from the next \
turn on, one per turn. You win in your own turn."""

NAMES: Final = """\
You are "you"; P1 plays after you, then P2 and P3. Hexes are H, vertices V (each with the hexes \
and the harbor around it), edges E or the two vertices they join. A hand "0-2 ore" has bounds \
on unknown cards. Pips are the ways out of 36 to roll a hex's number."""
