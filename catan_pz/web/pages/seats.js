// The known facts of the seats, the bank and the dice, and the offer on the table.

import { CARDS, RESOURCES, byId, element, say, sign, svgElement, words } from "/static/dom.js";

const COSTLY = RESOURCES.length; // a card that only two players saw
const PIPS = ["", "e", "ai", "aei", "acgi", "acegi", "acdfgi"];
const LEFT = ["small_road", "small_settlement", "small_city"];
const LEFT_WORDS = ["roads", "settlements", "cities"];
const ANSWERS = { waiting: "…", accept: "✓", reject: "✗", composing: "writes …", counter: "" };

const range = ([low, high]) => (low === high ? `${low}` : `${low}–${high}`);

// An icon with a number, and its words for tooltips and screen readers.
function counted(name, count, title, kind = "") {
  const made = element("span", { className: `count ${kind}`, title }, sign(name), element("b", { textContent: count }));
  made.append(element("span", { className: "unseen", textContent: ` ${title} ` }));
  return made;
}

function bundle(cards) {
  const made = RESOURCES.flatMap((name, k) => (cards[k] ? [counted(name, cards[k], name)] : []));
  return element("span", { className: "bundle" }, ...made);
}

function die(value) {
  const made = svgElement("svg", { viewBox: "0 0 32 32", class: "die", role: "img", "aria-label": `die ${value}` });
  for (const letter of PIPS[value]) {
    const at = letter.charCodeAt(0) - 97;
    made.append(svgElement("circle", { cx: 8 + 8 * (at % 3), cy: 8 + 8 * Math.floor(at / 3), r: 2.9 }));
  }
  return made;
}

export class Seats {
  // `button` makes the page's button for a control's name.
  constructor(home, button) {
    this.home = home;
    this.button = button;
    this.seats = [];
  }

  build(count) {
    this.seats = Array.from({ length: count }, (_, k) => {
      const head = element("div", { className: "who" });
      const holds = element("div", { className: "holds" });
      const gains = element("div", { className: "gains" });
      const acts = element("div", { className: "acts" }, this.button(`seat ${k}`), this.button(`agent ${k}`));
      const panel = element("li", { className: `seat seat-${k}` }, head, holds, gains, acts);
      return { panel, head, holds, gains };
    });
    this.bank = element("li", { className: "bank" });
    this.offer = element("li", { className: "offer" });
    this.offer.setAttribute("aria-live", "polite");
    this.home.replaceChildren(...this.seats.map(({ panel }) => panel), this.bank, this.offer);
  }

  show(view, viewer = null, tags = {}) {
    const count = Object.keys(view).filter((key) => key.startsWith("seat ")).length;
    if (this.seats.length !== count) this.build(count);
    this.seats.forEach((parts, k) => this.seat(parts, view[`seat ${k}`], view.decides[0] === k, k === viewer ? "you" : tags[k]));
    const dice = element("span", { className: `dice ${view.rolled ? "fresh" : ""}` }, ...view.dice.map(die));
    const bank = view.bank.map((left, k) => counted(RESOURCES[k], left, `${RESOURCES[k]} in the bank`, left ? "" : "none"));
    this.bank.replaceChildren(dice, element("b", { textContent: "Bank" }), ...bank,
      counted("card_back", view.deck_size, "development cards left"));
    this.showOffer(view);
  }

  seat({ panel, head, holds }, seat, moving, tag) {
    panel.classList.toggle("moving", moving);
    const hidden = seat.hidden_points ? `+${seat.hidden_points}` : "";
    const points = counted("victory_point", seat.visible_points + hidden, "points", "points");
    const name = element("b", { className: "name", textContent: seat.name });
    head.replaceChildren(sign("small_settlement"), name, ...(tag ? [element("i", { textContent: tag })] : []), points);
    // For a hand that may hold anything, its size is enough.
    const unknown = seat.hand_size > 0 && seat.hand.every(([low, high]) => low === 0 && high === seat.hand_size);
    const hand = unknown ? [] : seat.hand.map((bounds, k) =>
      counted(RESOURCES[k], range(bounds), RESOURCES[k], bounds[1] ? "" : "none"));
    const discards = seat.to_discard ? [element("b", { className: "warn", textContent: `−${seat.to_discard}` })] : [];
    const knights = counted("shield", seat.cards_played[0], "knights played", seat.has_largest_army ? "award" : "");
    const road = counted("winding_road", seat.road_length, "longest road", seat.has_longest_road ? "award" : "");
    const left = seat.pieces_left.map((count, k) => counted(LEFT[k], count, `${LEFT_WORDS[k]} left`, "left"));
    holds.replaceChildren(counted("resource_back", seat.hand_size, "cards in hand"), ...discards, ...hand,
      counted("card_back", seat.card_count, this.cards(seat)), knights, road, ...left);
  }

  cards({ cards, cards_played: played }) {
    const named = (counts) => counts.map((n, k) => (n ? `${n} ${words(CARDS[k])}` : "")).filter(Boolean).join(", ");
    const parts = ["development cards"];
    if (cards?.some(Boolean)) parts.push(`held: ${named(cards)}`);
    if (played.some(Boolean)) parts.push(`played: ${named(played)}`);
    return parts.join("; ");
  }

  showOffer({ offer, ...view }) {
    this.offer.hidden = !offer?.sent;
    if (!offer?.sent) return;
    const name = element("b", { textContent: `${view[`seat ${offer.seat}`].name} offers` });
    const answers = offer.answers.map((answer) => {
      const made = element("span", { className: `answer ${answer.kind}` });
      made.append(`${view[`seat ${answer.seat}`].name} ${ANSWERS[answer.kind]}`);
      if (answer.kind === "counter") made.append(bundle(answer.give), "for", bundle(answer.get));
      return made;
    });
    this.offer.replaceChildren(name, bundle(offer.give), "for", bundle(offer.get), ...answers);
  }

  // Badges of gained and lost cards, by seat.
  gains(cards) {
    this.seats.forEach(({ gains }, k) => {
      const made = (cards?.[k] ?? []).flatMap((count, what) => {
        if (!count) return [];
        const text = count > 0 ? `+${count}` : `−${-count}`;
        const name = what === COSTLY ? "resource_back" : RESOURCES[what];
        return [counted(name, text, words(name), count > 0 ? "gain" : "loss")];
      });
      gains.replaceChildren(...made);
    });
  }
}

const TABLES = ["points", "counts"];

// The result of the game: points by source, counts, and the frequency of each roll.
export function showEnding(ending, view) {
  const names = ending.points.rows.map((_, k) => view[`seat ${k}`].name);
  for (const part of TABLES) {
    const { of, rows } = ending[part];
    const sum = part === "points";
    const heads = ["", ...of, ...(sum ? ["Total"] : [])].map((text) => element("th", { scope: "col", textContent: text }));
    const lines = rows.map((row, k) => {
      const cells = [...row, ...(sum ? [row.reduce((a, b) => a + b, 0)] : [])];
      const head = element("th", { scope: "row", className: `seat-${k}`, textContent: names[k] });
      return element("tr", {}, head, ...cells.map((n) => element("td", { textContent: n })));
    });
    byId(`ending-${part}`).replaceChildren(element("tr", {}, ...heads), ...lines);
  }
  const most = Math.max(1, ...ending.rolls);
  byId("ending-rolls").replaceChildren(...ending.rolls.map((count, k) => {
    const bar = element("li", {}, element("b", { textContent: count }), element("i"), element("span", { textContent: k + 2 }));
    bar.style.setProperty("--share", count / most);
    return bar;
  }));
  say(byId("ending-hands"), names.map((name, k) => {
    const { hand, cards } = view[`seat ${k}`];
    const held = hand.map(([n], r) => (n ? `${n} ${RESOURCES[r]}` : "")).filter(Boolean).join(", ") || "no cards";
    return `${name}: ${held}${cards?.some(Boolean) ? `, ${cards.reduce((a, b) => a + b, 0)} development cards` : ""}`;
  }).join("; "));
}
