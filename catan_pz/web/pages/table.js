// A table in the browser: shows the server's pictures, and sends it pressed controls.

import { AdviceTable } from "/static/advice.js";
import { Connection } from "/static/connection.js";
import { Desk } from "/static/desk.js";
import { byId, element, list, say, sentence } from "/static/dom.js";
import { Picture } from "/static/picture.js";
import { Seats, showEnding } from "/static/seats.js";
import { remember, remembered } from "/static/storage.js";

// Milliseconds after a move in which presses are ignored, such as the second of a double click.
const SLIP = 400;
const TOAST = 6000;
const REMEMBERED = { advised: "catan-pz advice", sounds: "catan-pz sounds" };
const NOTES = { turn: [523, 784], theft: [311, 208], offer: [659] };

// A checkbox that remembers its state.
function kept(id, change) {
  const box = byId(id);
  box.checked = remembered("localStorage", REMEMBERED[id]) === "on";
  box.addEventListener("change", () => {
    remember("localStorage", REMEMBERED[id], box.checked ? "on" : "off");
    change?.();
  });
  return box;
}

class Sounds {
  constructor() {
    this.box = kept("sounds", () => this.play("turn"));
  }

  play(kind) {
    if (!this.box.checked) return;
    this.context ??= new AudioContext();
    NOTES[kind].forEach((frequency, k) => {
      const [tone, volume] = [this.context.createOscillator(), this.context.createGain()];
      const start = this.context.currentTime + 0.16 * k;
      tone.frequency.value = frequency;
      volume.gain.setValueAtTime(0.15, start);
      volume.gain.exponentialRampToValueAtTime(0.001, start + 0.3);
      tone.connect(volume).connect(this.context.destination);
      tone.start(start);
      tone.stop(start + 0.3);
    });
  }
}

// An agent's advice on one's own decisions, if the table offers it; on or off is remembered.
class AdvicePanel {
  constructor(picture, send) {
    this.picture = picture;
    this.send = send;
    this.table = new AdviceTable(byId("advice-rows"), (place) => picture.point(place));
    this.box = kept("advised", () => this.switch());
    this.given = null;
    this.decision = null;
  }

  // The connection is new.
  start(adviser) {
    this.adviser = adviser;
    byId("advice").hidden = !adviser;
    if (adviser && this.box.checked) this.send({ advise: true });
    this.show();
  }

  switch() {
    this.send({ advise: this.box.checked });
    this.given = null;
    this.show();
  }

  take(advice) {
    this.given = advice;
    this.show();
  }

  // `decision` is the number of the decision with advice, null for none.
  update(decision) {
    this.decision = decision;
    this.show();
  }

  show() {
    const fits = this.box.checked && this.given !== null && this.given.decision === this.decision;
    const advice = fits && !this.given.failure ? this.given : null;
    say(byId("advice-of"), this.words(fits));
    if (advice === this.shown) return;
    this.shown = advice;
    this.table.show(advice);
    this.picture.advise(advice ? advice.drawn : "");
  }

  words(fits) {
    if (!this.box.checked) return `Shows what ${this.adviser} thinks of your moves.`;
    if (this.decision === null) return "At your next choice.";
    if (!fits) return `${this.adviser} is thinking …`;
    return this.given.failure ?? `${this.adviser} chooses: ${this.given.rows[0][0]}.`;
  }
}

class TablePage {
  constructor() {
    this.controls = new Map();
    this.buttons = [];
    this.slip = SLIP;
    this.moved = 0;
    this.chosen = null;
    this.picture = new Picture(byId("picture"), (name) => this.choose(name), (words) => this.hint(words));
    const button = (name, label) => this.button(name, label);
    this.seats = new Seats(byId("seats"), button);
    this.desk = new Desk(byId("desk"), button);
    this.confirm = element("button", { className: "main", hidden: true });
    this.confirm.addEventListener("click", () => this.choose(this.chosen));
    byId("answers").prepend(this.confirm);
    this.advice = new AdvicePanel(this.picture, (message) => this.send(message));
    this.sounds = new Sounds();
    this.small = matchMedia("(max-width: 900px), (orientation: portrait)");
    this.news = null;
    this.log = [];
    this.waiting = false;
    this.link = location.pathname.split("/").pop();
    this.listen();
    setInterval(() => this.status(), 500);
    const lose = (reason) => this.lose(reason);
    this.connection = new Connection(`/socket/${this.link}`, (message) => this.hear(message), lose);
  }

  listen() {
    byId("again").addEventListener("click", () => this.send({ again: true }));
    byId("result").addEventListener("click", () => byId("ending").showModal());
    byId("invite").addEventListener("click", () => byId("invitation").showModal());
    byId("copy").addEventListener("click", () => {
      byId("invitation-link").select();
      navigator.clipboard?.writeText(byId("invitation-link").value);
    });
    for (const kind of ["replay", "review"]) {
      byId(kind).href = `/${kind}/${this.link}${byId("study").hidden ? "" : "?study"}`;
    }
    byId("study").href = `/study#game=${this.link}`;
    document.addEventListener("keydown", (event) => this.key(event));
  }

  // A button for the control that its `data-name` currently names.
  button(name, label = "") {
    const made = element("button", { type: "button", className: "control" }, label);
    made.dataset.name = name;
    made.addEventListener("click", () => this.choose(made.dataset.name));
    made.addEventListener("keydown", (event) => event.repeat && event.preventDefault());
    const words = () => this.controls.get(made.dataset.name)?.words ?? "";
    for (const kind of ["pointerenter", "focus"]) made.addEventListener(kind, () => this.hint(words()));
    for (const kind of ["pointerleave", "blur"]) made.addEventListener(kind, () => this.hint(""));
    this.buttons.push(made);
    return made;
  }

  lose(reason) {
    this.lost = reason;
    this.status();
  }

  hear(message) {
    if (message.areas) this.greet(message);
    else if (message.advice) this.advice.take(message.advice);
    else if (message.failure) this.lose(message.failure);
    else if (message.refused) {
      this.waiting = false;
      this.hint(message.refused);
    } else this.update(message);
  }

  greet({ board, areas, viewer, adviser, invitation }) {
    this.connection.welcome();
    this.lost = null;
    this.news = null;
    this.log = [];
    this.viewer = viewer;
    this.picture.start(board, areas);
    this.advice.start(adviser);
    byId("desk").hidden = viewer < 0;
    byId("invite").hidden = !(invitation && viewer >= 0);
    byId("invitation-link").value = `${location.origin}/join/${invitation}`;
    byId("only-here").hidden = !/^(localhost|127\.|\[::1\])/.test(location.hostname);
  }

  update(news) {
    const before = this.news;
    const mine = news.to_move === this.viewer && !news.over;
    if (!before?.mine && mine) this.moved = Date.now();
    news.view = { ...before?.view, ...news.view };
    this.news = { ...news, mine };
    this.waiting = false;
    this.since = Date.now();
    this.controls = new Map(news.controls.map((control) => [control.name, control]));
    this.chosen = null;
    this.picture.show(news.layers, news.controls);
    this.seats.show(news.view, this.viewer, this.tags(news));
    if (this.viewer >= 0) this.desk.show(this.controls, news, this.viewer);
    this.refresh();
    list(byId("words"), news.words);
    this.tell(news.log, news.first_line, before);
    if (mine && !before?.mine && before) this.sounds.play(news.view.phase === "answer" ? "offer" : "turn");
    this.advice.update(news.advised);
    say(byId("warning"), news.warning ?? "");
    byId("again").hidden = !(news.over && this.viewer >= 0);
    byId("result").hidden = !news.over;
    if (news.over) this.end(news, before);
    document.title = mine ? "Your move · catan-pz" : "catan-pz";
    this.status();
  }

  tags({ away, agents, view }) {
    const tag = (k) => {
      if (!away.includes(k)) return "";
      return agents.includes(k) ? "an agent plays" : "away";
    };
    return Object.keys(view).filter((key) => key.startsWith("seat ")).map((_, k) => tag(k));
  }

  refresh() {
    for (const made of this.buttons) {
      const control = this.controls.get(made.dataset.name);
      const words = control ? sentence(control.words) + (control.key && control.active ? ` (${control.key})` : "") : "";
      made.title = words;
      made.disabled = !control;
      made.setAttribute("aria-disabled", !control?.active);
      if (made.matches(".chip")) {
        const [name, count] = [made.dataset.name.split(" ").pop(), made.querySelector(".badge").textContent];
        made.setAttribute("aria-label", `${words || name}, ${count}`);
      } else if (/^(seat|agent) /.test(made.dataset.name)) {
        made.hidden = !control;
        say(made, control?.label || words);
      }
    }
    this.confirm.hidden = true;
  }

  // New lines of the log, and their effects: rings, highlighted hexes, badges, a prominent theft.
  tell(lines, first, before) {
    const log = byId("log");
    this.log.length = first;
    this.log.push(...lines);
    while (log.children.length > first) log.lastChild.remove();
    log.append(...lines.map((line) => this.item(line)));
    if (!lines.length) return;
    log.scrollTop = log.scrollHeight;
    const last = this.log.at(-1);
    this.ring(last);
    this.seats.gains(last.cards);
    if (!before || !last.theft) return;
    say(byId("toast"), last.words);
    this.sounds.play("theft");
    setTimeout(() => say(byId("toast"), ""), TOAST);
  }

  ring({ at = [], hexes }) {
    this.picture.ring(at, hexes);
  }

  item(line) {
    const made = element("li", { textContent: line.words });
    made.addEventListener("pointerenter", () => this.ring(line));
    made.addEventListener("pointerleave", () => this.ring(this.log.at(-1)));
    return made;
  }

  end({ result, ending, view }, before) {
    say(byId("ending-result"), result);
    showEnding(ending, view);
    if (!before?.over) byId("ending").showModal();
  }

  status() {
    const place = byId("status");
    place.className = this.lost ? "lost" : "";
    say(place, this.lost ?? (this.news ? this.words(this.news) : "Connecting …"));
  }

  words(news) {
    if (news.over) return news.result.replace(/ Points:.*/, "");
    const turn = `Turn ${news.view.turn}. `;
    // For layouts where the log may be out of sight, and the desk says whose move it is.
    if (this.small.matches && this.log.length) return turn + this.log.at(-1).words;
    if (news.mine) return `${turn}Your move.`;
    const { name } = news.view[`seat ${news.to_move}`];
    if (!news.thinking) return `${turn}${name} is to move${news.away.includes(news.to_move) ? ", and isn't here" : ""}.`;
    const seconds = Math.floor((Date.now() - this.since) / 1000);
    return `${turn}${name} is thinking${seconds > 1 ? `, ${seconds} s` : ""}.`;
  }

  hint(words) {
    byId("hint").textContent = sentence(words);
  }

  // A press just after a move is ignored; a placement by touch must be confirmed.
  choose(name) {
    const control = this.controls.get(name);
    if (!control) return;
    if (!control.active) this.hint(control.words);
    else if (Date.now() - this.moved < this.slip) this.hint("");
    else if (this.picture.coarse.matches && this.picture.areas[name] && this.chosen !== name) this.ask(control);
    else this.press(name, control);
  }

  ask({ name, words }) {
    this.chosen = name;
    this.picture.point(name);
    this.confirm.hidden = false;
    say(this.confirm, `Confirm: ${words}`);
  }

  press(name, control) {
    if (this.waiting || !this.news) return;
    this.waiting = true;
    if (control?.plays) this.moved = Date.now();
    this.send({ press: name, version: this.news.version });
  }

  send(message) {
    if (!this.connection.send(message)) this.waiting = false;
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const key = event.key.toLowerCase();
    if (key === "h" && this.advice.adviser) {
      if (!event.repeat) byId("advised").click();
      return;
    }
    const control = [...this.controls.values()].find((one) => one.key === key);
    if (!control) return;
    event.preventDefault();
    // A held key counts as one press.
    if (!event.repeat) this.choose(control.name);
  }
}

window.tablePage = new TablePage();
