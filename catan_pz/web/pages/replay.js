// Plays the page's game: board and seats, the log, charts, and optionally advice.

import { AdviceTable } from "/static/advice.js";
import { byId, element, svgElement } from "/static/dom.js";
import { download, packed, unpacked } from "/static/files.js";
import { Picture } from "/static/picture.js";
import { Tabs } from "/static/review.js";
import { Seats } from "/static/seats.js";

const SPEEDS = [0.5, 1, 2, 4, 8, 15, 30];
const PLAY = "M5 3l11 7-11 7z";
const PAUSE = "M4 3h4v14H4zM12 3h4v14h-4z";
const CHART = { width: 1000, height: 150, top: 6, bottom: 6 };
// The default address of `catan-pz serve`.
const STUDY = "http://localhost:8000/study";
const percent = (share) => `${Math.round(100 * share)} %`;

// Completes the views of frames, which hold only changes.
function completed(game) {
  let view = {};
  for (const frame of game.frames) frame.view = view = { ...view, ...frame.view };
  const seats = (of) => Object.keys(of).filter((key) => key.startsWith("seat ")).map((key) => of[key]);
  game.names = seats(view).map(({ name }) => name);
  game.points = game.frames.map((frame) => seats(frame.view).map((seat) => seat.visible_points + seat.hidden_points));
  return game;
}

// Board and seats, with the changes of the last decision.
class Table {
  constructor(game) {
    this.game = game;
    this.picture = new Picture(byId("picture"), () => {}, () => {});
    this.picture.start(game.box, game.areas);
    this.seats = new Seats(byId("seats"), () => "");
    this.shown = [];
  }

  show(at) {
    this.at = at;
    const { layers, happened, view } = this.game.frames[at];
    this.picture.show(layers.map((layer, k) => (this.shown[k] === layer ? null : this.game.layers[layer])), []);
    this.shown = layers;
    this.seats.show(view);
    this.seats.gains(happened.cards);
    this.point(null);
  }

  // Rings a place, or with null the changes of the last decision.
  point(place) {
    const { at = [], hexes } = this.game.frames[this.at].happened;
    if (place) this.picture.ring([place]);
    else this.picture.ring(at, hexes);
  }
}

// A step line for each seat, light or dark pieces outlined as on the board.
class Chart {
  constructor(game, id, values, top, wide, seek) {
    this.game = game;
    this.values = values;
    this.top = top;
    this.wide = wide;
    this.svg = byId(id);
    this.svg.setAttribute("viewBox", `0 0 ${CHART.width} ${CHART.height}`);
    game.names.forEach((_, k) => this.line(k));
    this.cursor = svgElement("line", { class: "cursor", y1: 0, y2: CHART.height });
    this.svg.append(this.cursor);
    this.svg.addEventListener("click", (event) => {
      const box = this.svg.getBoundingClientRect();
      seek(Math.round(((event.clientX - box.left) / box.width) * this.last));
    });
  }

  get last() {
    return Math.max(1, this.game.frames.length - 1);
  }

  x(at) {
    return ((at / this.last) * CHART.width).toFixed(1);
  }

  y(value) {
    const room = CHART.height - CHART.top - CHART.bottom;
    return (CHART.height - CHART.bottom - (value / this.top) * room).toFixed(1);
  }

  rule(value, kind) {
    const y = this.y(value);
    this.svg.prepend(svgElement("line", { class: kind, x1: 0, x2: CHART.width, y1: y, y2: y }));
  }

  line(k) {
    let path = `M0 ${this.y(this.values[0][k])}`;
    this.values.forEach((values, at) => {
      if (at && values[k] !== this.values[at - 1][k]) path += `H${this.x(at)}V${this.y(values[k])}`;
    });
    path += `H${CHART.width}`;
    for (const [part, width] of [["outline", this.wide], ["inside", this.wide / 2]]) {
      this.svg.append(svgElement("path", { d: path, class: `seat-${k} ${part}`, "stroke-width": width }));
    }
  }

  show(at, words) {
    const x = this.x(at);
    this.cursor.setAttribute("x1", x);
    this.cursor.setAttribute("x2", x);
    this.svg.setAttribute("aria-label", `After decision ${at}: ${words.join(", ")}`);
  }
}

// The charts, and below them their values for each seat.
class Charts {
  constructor(game, seek) {
    this.game = game;
    const target = game.frames[0].view.target_points;
    const top = Math.max(target, ...game.points.flat());
    const points = new Chart(game, "points", game.points, top, 5, seek);
    for (let k = 0; k <= top; k += 2) points.rule(k, "grid");
    points.rule(target, "target");
    this.charts = [points];
    this.wins = game.frames.every(({ wins }) => wins) && game.frames.map(({ wins }) => wins);
    if (this.wins) {
      const winning = new Chart(game, "winning", this.wins, 1, 3.4, seek);
      for (const share of [0, 0.25, 0.5, 0.75, 1]) winning.rule(share, "grid");
      this.charts.push(winning);
      const basis = game.review ? "as the player to move knows the game" : "from the hands of all";
      const whose = game.viewer === null ? basis : `as ${game.names[game.viewer]} sees it`;
      byId("basis").textContent = `, 0 to 100 %, ${whose}`;
      byId("winning").parentElement.hidden = false;
    }
    byId("most").textContent = `, 0 to ${top}`;
    this.legend = game.names.map((_, k) => this.entry(k));
  }

  entry(k) {
    const words = element("span");
    byId("legend").append(element("li", { className: `seat-${k}` }, element("i"), words));
    return words;
  }

  show(at) {
    const { wins } = this;
    const { names, points } = this.game;
    const words = [names.map((name, k) => `${name}: ${points[at][k]}`)];
    if (wins) words.push(names.map((name, k) => `${name}: ${percent(wins[at][k])}`));
    this.charts.forEach((chart, k) => chart.show(at, words[k]));
    names.forEach((_, k) => {
      this.legend[k].textContent = wins ? `${words[0][k]} points, ${percent(wins[at][k])}` : words[0][k];
    });
  }
}

// An agent's advice on the next decision.
class AdviceNotes {
  constructor(game, table) {
    this.game = game;
    this.table = table;
    this.shown = new AdviceTable(byId("advice-rows"), (place) => table.point(place));
    this.box = byId("advised");
    byId("advice").hidden = !game.frames.some(({ advice }) => advice);
    this.box.addEventListener("change", () => this.show(this.at));
  }

  toggle() {
    if (!byId("advice").hidden) this.box.click();
  }

  show(at) {
    this.at = at;
    const advice = this.game.frames[at].advice ?? null;
    const on = this.box.checked && advice !== null;
    this.table.picture.advise(on ? this.game.layers[advice.layer] : "");
    byId("advice-of").textContent = this.words(advice);
    this.shown.show(on ? advice : null);
  }

  words(advice) {
    if (!this.box.checked) return "";
    if (advice === null) return this.game.review ? "The review has none on this decision." : "No advice on this decision.";
    return `What ${advice.agent} thinks of the decision to come:`;
  }
}

class Log {
  constructor(game, seek) {
    this.list = byId("log");
    this.items = game.frames.map(({ line, view }, at) => {
      const item = element("li", { textContent: line ?? "The game begins" });
      if (at && view.turn !== game.frames[at - 1].view.turn) item.className = "turn";
      item.addEventListener("click", () => seek(at));
      return item;
    });
    this.list.append(...this.items);
  }

  show(at) {
    this.current?.removeAttribute("aria-current");
    this.current = this.items[at];
    this.current.setAttribute("aria-current", "step");
    const { list, current } = this;
    if (current.offsetTop < list.scrollTop) list.scrollTop = current.offsetTop;
    const below = current.offsetTop + current.offsetHeight - list.clientHeight;
    if (below > list.scrollTop) list.scrollTop = below;
  }
}

class Player {
  constructor(game) {
    this.game = game;
    this.at = 0;
    this.timer = null;
    const seek = (at) => this.seek(at);
    const table = new Table(game);
    this.advice = new AdviceNotes(game, table);
    this.parts = [table, new Charts(game, seek), new Log(game, seek), this.advice, new Tabs(game, seek)];
    this.connect();
    this.show(this.fromAddress());
    this.share();
  }

  // A study's link holds the whole game; a server of both has shorter links.
  async share() {
    const { record } = this.game;
    if (!record) return;
    const here = location.search === "?study";
    const given = new URLSearchParams(here ? { game: location.pathname.split("/").pop() } : { text: await packed(record) });
    this.link = `${here ? "/study" : STUDY}#${given}`;
    byId("study").title = here ? "" : "In the study of a catan-pz serve on this machine, which must be running";
    byId("save").addEventListener("click", () => download("game.jsonl", record));
    byId("save").hidden = byId("study").hidden = false;
    this.show(this.at);
  }

  get last() {
    return this.game.frames.length - 1;
  }

  // replay.html#120 opens at decision 120.
  fromAddress() {
    const given = Number.parseInt(location.hash.slice(1), 10);
    return Number.isNaN(given) ? 0 : Math.min(Math.max(given, 0), this.last);
  }

  connect() {
    const slider = byId("slider");
    slider.max = this.last;
    slider.addEventListener("input", () => this.seek(Number(slider.value)));
    for (const speed of SPEEDS) byId("speed").append(new Option(`${speed} / s`, speed));
    byId("speed").value = 4;
    byId("speed").addEventListener("change", () => this.timer && this.play());
    const actions = {
      first: () => this.seek(0),
      "turn-back": () => this.seek(this.turn(-1)),
      back: () => this.seek(this.at - 1),
      play: () => this.toggle(),
      forward: () => this.seek(this.at + 1),
      "turn-forward": () => this.seek(this.turn(1)),
      last: () => this.seek(this.last),
    };
    for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", action);
    const keys = {
      Home: "first", PageUp: "turn-back", ArrowLeft: "back", " ": "play",
      ArrowRight: "forward", PageDown: "turn-forward", End: "last",
    };
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target.tagName === "SELECT") return;
      if (event.key === " " && event.target.matches("button, input[type=checkbox]")) return;
      if (event.key === "a") this.advice.toggle();
      else if (event.key === "+" || event.key === "-") this.faster(event.key === "+" ? 1 : -1);
      else if (keys[event.key]) actions[keys[event.key]]();
      else return;
      event.preventDefault();
    });
    addEventListener("hashchange", () => this.seek(this.fromAddress()));
  }

  // The first decision of the next turn, or of this or the previous one.
  turn(by) {
    const turns = this.game.frames.map(({ view }) => view.turn);
    if (by > 0) {
      const next = turns.findIndex((turn, at) => at > this.at && turn !== turns[this.at]);
      return next < 0 ? this.last : next;
    }
    let at = Math.max(0, this.at - 1);
    while (at > 0 && turns[at - 1] === turns[at]) at -= 1;
    return at;
  }

  faster(by) {
    const select = byId("speed");
    const index = Math.min(Math.max(select.selectedIndex + by, 0), SPEEDS.length - 1);
    select.selectedIndex = index;
    if (this.timer) this.play();
  }

  seek(at) {
    this.pause();
    this.show(Math.min(Math.max(at, 0), this.last));
  }

  toggle() {
    if (this.timer) this.pause();
    else this.play();
  }

  play() {
    if (this.at === this.last) this.show(0);
    clearInterval(this.timer);
    this.timer = setInterval(() => this.tick(), 1000 / Number(byId("speed").value));
    this.label(PAUSE, "Pause");
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.label(PLAY, "Play");
  }

  label(sign, words) {
    byId("play").querySelector("path").setAttribute("d", sign);
    byId("play").setAttribute("aria-label", words);
    // A screen reader gets lines on request, not at each step of a playing game.
    byId("line").setAttribute("aria-live", words === "Play" ? "polite" : "off");
  }

  tick() {
    if (this.at < this.last) this.show(this.at + 1);
    if (this.at === this.last) this.pause();
  }

  show(at) {
    this.at = at;
    for (const part of this.parts) part.show(at);
    const { frames, names, winner } = this.game;
    const { view } = frames[at];
    const slider = byId("slider");
    const line = frames[at].line ?? "The game begins";
    slider.value = at;
    slider.setAttribute("aria-valuetext", `Decision ${at} of ${this.last}: ${line}`);
    byId("line").textContent = line;
    byId("study").href = `${this.link}&at=${at}`;
    const [seat, doing] = view.decides;
    byId("position").textContent = `Decision ${at} of ${this.last}, turn ${view.turn}: ${names[seat]} ${doing}`;
    const won = winner === null ? "no winner" : `${names[winner]} wins`;
    byId("result").textContent = `${won}, ${frames[this.last].view.turn} turns`;
  }
}

const game = JSON.parse(await unpacked(byId("game").textContent));
window.player = new Player(completed(game));
