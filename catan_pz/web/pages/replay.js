// Plays the game that the page holds: frames of SVG, the log, charts, and advice where it has some.

import { AdviceTable } from "/static/advice.js";

const SPEEDS = [0.5, 1, 2, 4, 8, 15, 30];
const PLAY = "M5 3l11 7-11 7z";
const PAUSE = "M4 3h4v14H4zM12 3h4v14h-4z";
const CHART = { width: 1000, height: 150, top: 6, bottom: 6 };
const percent = (share) => `${Math.round(100 * share)} %`;
const SVG = "http://www.w3.org/2000/svg";

const byId = (id) => document.getElementById(id);

async function unpack(base64) {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

function svgElement(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// The picture: beside each other on a wide screen, board above panels on a narrow one.
class Table {
  constructor(game) {
    this.game = game;
    this.narrow = matchMedia("(max-width: 640px)");
    this.narrow.addEventListener("change", () => this.resize());
    this.shown = [];
    this.resize();
  }

  resize() {
    const { width, height, split } = this.game;
    const narrow = this.narrow.matches;
    byId("board").setAttribute("viewBox", `0 0 ${narrow ? split : width} ${height}`);
    byId("panels").setAttribute("viewBox", `${split} 0 ${width - split} ${height}`);
    this.targets = narrow ? [byId("board"), byId("panels")] : [byId("board")];
    this.shown = [];
    for (const target of this.targets) target.replaceChildren();
    if (this.at !== undefined) this.show(this.at);
  }

  show(at) {
    this.at = at;
    const layers = this.game.frames[at];
    for (const target of this.targets) {
      while (target.children.length > layers.length) target.lastChild.remove();
      layers.forEach((layer, k) => {
        if (this.shown[k] === layer && target.children[k]) return;
        const drawn = this.draw(layer);
        if (target.children[k]) target.children[k].replaceWith(drawn);
        else target.append(drawn);
      });
      if (this.advice !== undefined) target.append(this.draw(this.advice));
    }
    this.shown = layers.slice();
  }

  // Draws a layer on top of the picture; undefined takes it away.
  lay(layer) {
    this.advice = layer;
    this.show(this.at);
  }

  draw(layer) {
    const { elements, layers } = this.game;
    const group = svgElement("g", { "aria-hidden": "true" });
    group.innerHTML = layers[layer].map((element) => elements[element]).join("");
    return group;
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
    game.seats.forEach((seat, k) => this.line(seat, k));
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

  line(seat, k) {
    let path = `M0 ${this.y(this.values[0][k])}`;
    this.values.forEach((values, at) => {
      if (at && values[k] !== this.values[at - 1][k]) path += `H${this.x(at)}V${this.y(values[k])}`;
    });
    path += `H${CHART.width}`;
    for (const [color, width] of [[seat.outline, this.wide], [seat.fill, this.wide / 2]]) {
      this.svg.append(svgElement("path", { d: path, fill: "none", stroke: color, "stroke-width": width }));
    }
  }

  show(at, words) {
    const x = this.x(at);
    this.cursor.setAttribute("x1", x);
    this.cursor.setAttribute("x2", x);
    this.svg.setAttribute("aria-label", `After decision ${at}: ${words.join(", ")}`);
  }
}

// The charts, and below them what they say of each seat.
class Charts {
  constructor(game, seek) {
    this.game = game;
    const top = Math.max(game.target, ...game.points.flat());
    const points = new Chart(game, "points", game.points, top, 5, seek);
    for (let k = 0; k <= top; k += 2) points.rule(k, "grid");
    points.rule(game.target, "target");
    this.charts = [points];
    if (game.win_probabilities) {
      const winning = new Chart(game, "winning", game.win_probabilities, 1, 3.4, seek);
      for (const share of [0, 0.25, 0.5, 0.75, 1]) winning.rule(share, "grid");
      this.charts.push(winning);
      const whose = game.viewer === null ? "from the hands of all" : `as ${game.seats[game.viewer].name} sees it`;
      byId("basis").textContent = `, 0 to 100 %, ${whose}`;
      byId("winning").parentElement.hidden = false;
    }
    byId("most").textContent = `, 0 to ${top}`;
    this.legend = game.seats.map((seat) => this.entry(seat));
  }

  entry(seat) {
    const item = document.createElement("li");
    const color = document.createElement("i");
    color.style.background = seat.fill;
    color.style.borderColor = seat.outline;
    const words = document.createElement("span");
    item.append(color, words);
    byId("legend").append(item);
    return words;
  }

  show(at) {
    const { seats, points, win_probabilities: wins } = this.game;
    const words = [seats.map((seat, k) => `${seat.name}: ${points[at][k]}`)];
    if (wins) words.push(seats.map((seat, k) => `${seat.name}: ${percent(wins[at][k])}`));
    this.charts.forEach((chart, k) => chart.show(at, words[k]));
    seats.forEach((_, k) => {
      this.legend[k].textContent = wins ? `${words[0][k]} points, ${percent(wins[at][k])}` : words[0][k];
    });
  }
}

// What an agent thinks of the decision to come.
class AdviceNotes {
  constructor(game, table) {
    this.game = game;
    this.table = table;
    this.shown = new AdviceTable(byId("advice-rows"));
    this.box = byId("advised");
    byId("advice").hidden = !game.advice;
    this.box.addEventListener("change", () => this.show(this.at));
  }

  toggle() {
    if (this.game.advice) this.box.click();
  }

  show(at) {
    this.at = at;
    const advice = this.game.advice?.[at] ?? null;
    const on = this.box.checked && advice !== null;
    this.table.lay(on ? advice.layer : undefined);
    byId("advice-of").textContent = this.words(advice);
    this.shown.show(on ? advice : null);
  }

  words(advice) {
    if (!this.box.checked) return "";
    if (advice === null) return "No advice on this decision.";
    return `What ${advice.agent} thinks of the decision to come:`;
  }
}

class Log {
  constructor(game, seek) {
    this.list = byId("log");
    this.items = game.lines.map((line, at) => {
      const item = document.createElement("li");
      item.textContent = line ?? "The game begins";
      if (at && game.turns[at][0] !== game.turns[at - 1][0]) item.className = "turn";
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
    this.parts = [table, new Charts(game, seek), new Log(game, seek), this.advice];
    byId("study").hidden = location.search !== "?study";
    this.connect();
    this.show(this.fromAddress());
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
    for (const speed of SPEEDS) byId("speed").append(new Option(`${speed} a second`, speed));
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

  // The first decision of the next turn, or of this or the one before.
  turn(by) {
    const turns = this.game.turns.map(([turn]) => turn);
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
    // A screen reader is told lines on request, not at each step of a game that plays.
    byId("line").setAttribute("aria-live", words === "Play" ? "polite" : "off");
  }

  tick() {
    if (this.at < this.last) this.show(this.at + 1);
    if (this.at === this.last) this.pause();
  }

  show(at) {
    this.at = at;
    for (const part of this.parts) part.show(at);
    const { turns, lines, seats, winner } = this.game;
    const slider = byId("slider");
    const line = lines[at] ?? "The game begins";
    slider.value = at;
    slider.setAttribute("aria-valuetext", `Decision ${at} of ${this.last}: ${line}`);
    byId("line").textContent = line;
    byId("study").href = `/study#game=${location.pathname.split("/").pop()}&at=${at}`;
    byId("position").textContent = `Decision ${at} of ${this.last}, turn ${turns[at][0]}`;
    const won = winner === null ? "no winner" : `${seats[winner].name} wins`;
    byId("result").textContent = `${won}, ${turns[this.last][0]} turns`;
  }
}

const game = await unpack(byId("game").textContent);
window.player = new Player(game);
