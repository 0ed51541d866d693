// The forms of a study: cards of the seats, and the turn.

import { CARDS, RESOURCES, element, words } from "/static/dom.js";

const KINDS = [["cards", "held"], ["new_cards", "of them new"], ["cards_played", "played"]];
const PHASES = [
  "setup_settlement", "setup_road", "roll", "discard", "move_robber", "steal", "main", "free_road",
  "compose", "answer", "close", "over",
];

// Shows a value unless the person is writing in the field.
function show(field, value) {
  if (field === document.activeElement && field.type === "number") return;
  if (field.type === "checkbox") field.checked = value;
  else field.value = value;
}

function numberField(label, most, change) {
  const field = element("input", { type: "number", min: 0, max: most, value: 0 });
  field.setAttribute("aria-label", label);
  // The server refuses anything but whole numbers, and says what is allowed.
  field.addEventListener("change", () => change(field.valueAsNumber));
  return field;
}

function choice(options, change) {
  const field = element("select", {}, ...options.map(([value, text]) => new Option(text, value)));
  field.addEventListener("change", () => change(field.value));
  return field;
}

// Cards of one seat: a row for each kind, a field for each place that may hold it.
export class CountsForm {
  constructor(home, edit) {
    this.seat = 0;
    this.fields = [];
    home.append(this.hand(edit), this.development(edit));
  }

  count(entry, of, most, label, edit) {
    const change = (to) => edit({ set: entry, seat: this.seat, of, to });
    const field = numberField(label, most, change);
    this.fields.push({ entry, of, field });
    return element("td", {}, field);
  }

  hand(edit) {
    const heads = RESOURCES.map((name) => element("th", { scope: "col", textContent: name }));
    const cells = RESOURCES.map((name) => this.count("hand", name, 19, `${name} in hand`, edit));
    return element("table", {}, element("tr", {}, ...heads), element("tr", {}, ...cells));
  }

  development(edit) {
    const heads = ["card", ...KINDS.map(([, text]) => text)];
    const rows = CARDS.map((card) => {
      const cells = KINDS.map(([entry, text]) =>
        this.count(entry, card, 14, `${words(card)}, ${text}`, edit));
      return element("tr", {}, element("th", { scope: "row", textContent: words(card) }), ...cells);
    });
    const head = heads.map((text) => element("th", { scope: "col", textContent: text }));
    return element("table", {}, element("tr", {}, ...head), ...rows);
  }

  show(position, seat) {
    this.seat = seat;
    for (const { entry, of, field } of this.fields) show(field, position.players[seat][entry][of]);
  }
}

// The turn, the awaited decision, the dice.
export class TurnForm {
  constructor(home, edit) {
    this.home = home;
    this.edit = edit;
    this.seats = 0;
  }

  build(names) {
    const set = (what) => (to) => this.edit({ set: what, to });
    const seats = names.map((name, seat) => [seat, name]);
    const flag = (what) => {
      const field = element("input", { type: "checkbox" });
      field.addEventListener("change", () => this.edit({ set: what, to: field.checked }));
      return field;
    };
    const die = (k) => numberField(`die ${k + 1}`, 6, (to) => {
      this.edit({ set: "dice", to: this.dice.map((old, j) => (j === k ? to : old)) });
    });
    this.fields = {
      phase: choice(PHASES.map((name) => [name, words(name)]), set("phase")),
      turn_player: choice(seats, (to) => set("turn_player")(Number(to))),
      player_to_move: choice(seats, (to) => set("player_to_move")(Number(to))),
      turn: numberField("turns ended", 9999, set("turn")),
      rolled: flag("rolled"),
      card_played: flag("card_played"),
      free_roads: numberField("free roads", 2, set("free_roads")),
    };
    this.dieFields = [die(0), die(1)];
    const next = choice([["", "as it lies"], ...CARDS.map((name) => [name, words(name)])], (card) => {
      if (card) set("next_card")(card);
    });
    this.next = next;
    this.discards = names.map((name, seat) =>
      numberField(`${name} discards`, 9, (to) => this.edit({ set: "to_discard", seat, to })));
    const labelled = (text, ...fields) => element("label", {}, text, ...fields);
    this.home.replaceChildren(
      labelled("Phase", this.fields.phase),
      labelled("In turn", this.fields.turn_player),
      labelled("To move", this.fields.player_to_move),
      labelled("Turns ended", this.fields.turn),
      labelled("Dice", ...this.dieFields),
      labelled("Free roads", this.fields.free_roads),
      labelled("Rolled", this.fields.rolled),
      labelled("Card played", this.fields.card_played),
      labelled("Next card", next),
      element("span", { className: "row" }, "To discard", ...this.discards),
    );
  }

  show(position, names) {
    if (this.seats !== names.length) this.build(names);
    this.seats = names.length;
    this.dice = position.dice;
    for (const [name, field] of Object.entries(this.fields)) show(field, position[name]);
    this.dieFields.forEach((field, k) => show(field, position.dice[k]));
    this.discards.forEach((field, seat) => show(field, position.to_discard[seat]));
    show(this.next, "");
  }
}
