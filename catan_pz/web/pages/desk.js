// A person's desk: hand, development cards, the tray for trades, and buttons with fixed places.

import { CARDS, RESOURCES, element, say, sentence, sign, words } from "/static/dom.js";

const MOVES = [["roll", "Roll"], ["end turn", "End turn"], ["buy card", "Buy card"], ["undo", "Undo"]];
const TRADES = [["offer", "Offer"], ["bank", "Bank"], ["send", "Send"], ["clear", "Clear"]];
const ANSWERS = ["accept", "reject", "reject all", "close 0", "close 1", "close 2", "close 3", "withdraw"];
const WITH_TERMS = /^(accept|close)/;

const badge = () => element("b", { className: "badge" });

export class Desk {
  constructor(home, button) {
    this.home = home;
    this.prompt = element("p", { id: "prompt" });
    this.prompt.setAttribute("aria-live", "polite");
    this.answers = ANSWERS.map((name) => button(name));
    this.moves = MOVES.map(([name, label]) => button(name, label));
    this.trades = TRADES.map(([name, label]) => button(name, label));
    this.hand = RESOURCES.map((name) => this.card(button(`give ${name}`), name));
    this.cards = CARDS.map((name) => this.card(button(`card ${words(name)}`), name));
    this.given = RESOURCES.map((name) => this.chip(button(`less give ${name}`), name));
    this.wanted = RESOURCES.map((name) => this.chip(button(`get ${name}`), name));
    this.less = RESOURCES.map((name) => button(`less get ${name}`, "−"));
    this.give = element("div", { className: "side" }, element("span", { textContent: "Give" }), ...this.given);
    this.take = element("span", { textContent: "Get" });
    const cells = this.wanted.map((made, k) => element("span", { className: "cell" }, made, this.less[k]));
    this.tray = element("div", { id: "tray" }, this.give, element("div", { className: "side" }, this.take, ...cells),
      element("div", { className: "row" }, ...this.trades));
    const open = element("button", { id: "open-tray", textContent: "Trade" });
    open.addEventListener("click", () => home.classList.toggle("trading"));
    home.replaceChildren(
      element("div", { id: "ask" }, this.prompt, element("div", { id: "answers" }, ...this.answers)),
      element("div", { id: "hand" }, ...this.hand, ...this.cards),
      this.tray,
      element("div", { id: "moves" }, ...this.moves, open),
    );
    this.open = open;
  }

  card(made, name) {
    made.classList.add("card", name);
    made.append(badge(), sign(name), element("span", { textContent: words(name) }));
    return made;
  }

  chip(made, name) {
    made.classList.add("chip");
    made.append(sign(name), badge());
    return made;
  }

  // `controls` by name; `view` is the viewer's knowledge.
  show(controls, { view, draft, prompt }, viewer) {
    const seat = view[`seat ${viewer}`];
    const offer = view.phase === "compose" && view.offer?.seat === viewer ? view.offer : null;
    const [give, get, card] = offer ? [offer.give, offer.get, ""] : draft;
    say(this.prompt, prompt);
    this.hand.forEach((made, k) => {
      const name = `hand ${RESOURCES[k]}`;
      made.dataset.name = controls.has(name) ? name : `give ${RESOURCES[k]}`;
      this.count(made, seat.hand[k][0]);
    });
    this.cards.forEach((made, k) => {
      this.count(made, seat.cards?.[k] ?? 0);
      made.hidden = !seat.cards?.[k];
      made.classList.toggle("raised", card === CARDS[k]);
    });
    this.given.forEach((made, k) => this.count(made, give[k]));
    this.wanted.forEach((made, k) => this.count(made, get[k]));
    this.trades[0].dataset.name = controls.has("counter") ? "counter" : "offer";
    this.give.hidden = Boolean(card);
    say(this.take, card ? "Take" : "Get");
    const trades = [...controls.keys()].some((name) => /^(give|get|less) /.test(name)) || Boolean(offer);
    this.tray.hidden = !trades;
    this.open.hidden = !trades;
    if (!trades) this.home.classList.remove("trading");
    if (card || [...give, ...get].some(Boolean)) this.home.classList.add("trading");
    for (const made of [...this.answers, ...this.less, ...this.given, ...this.trades.slice(2)]) {
      made.hidden = !controls.has(made.dataset.name);
    }
    for (const made of [...this.answers, ...this.trades]) {
      const control = controls.get(made.dataset.name);
      if (control?.label) say(made, WITH_TERMS.test(control.name) ? sentence(control.words) : control.label);
    }
  }

  count(made, count) {
    say(made.querySelector(".badge"), `${count}`);
    made.classList.toggle("none", !count);
  }
}
