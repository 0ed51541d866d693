// Plays the game that the page holds: frames of SVG, the log and a chart of the points.

const SPEEDS = [0.5, 1, 2, 4, 8, 15, 30];
const PLAY = "M5 3l11 7-11 7z";
const PAUSE = "M4 3h4v14H4zM12 3h4v14h-4z";
const CHART = { width: 1000, height: 150, top: 6, bottom: 6 };
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
    }
    this.shown = layers.slice();
  }

  draw(layer) {
    const { elements, layers } = this.game;
    const group = svgElement("g", {});
    group.innerHTML = layers[layer].map((element) => elements[element]).join("");
    return group;
  }
}

// A step line for each seat, light or dark pieces outlined as on the board.
class Chart {
  constructor(game, seek) {
    this.game = game;
    this.svg = byId("points");
    this.top = Math.max(game.target, ...game.points.flat());
    this.svg.setAttribute("viewBox", `0 0 ${CHART.width} ${CHART.height}`);
    for (let points = 0; points <= this.top; points += 2) this.rule(points, "grid");
    this.rule(game.target, "target");
    game.seats.forEach((seat, k) => this.line(seat, k));
    this.cursor = svgElement("line", { class: "cursor", y1: 0, y2: CHART.height });
    this.svg.append(this.cursor);
    this.svg.addEventListener("click", (event) => {
      const box = this.svg.getBoundingClientRect();
      seek(Math.round(((event.clientX - box.left) / box.width) * this.last));
    });
    this.legend = game.seats.map((seat) => this.entry(seat));
  }

  get last() {
    return Math.max(1, this.game.frames.length - 1);
  }

  x(at) {
    return ((at / this.last) * CHART.width).toFixed(1);
  }

  y(points) {
    const room = CHART.height - CHART.top - CHART.bottom;
    return (CHART.height - CHART.bottom - (points / this.top) * room).toFixed(1);
  }

  rule(points, kind) {
    const y = this.y(points);
    this.svg.append(svgElement("line", { class: kind, x1: 0, x2: CHART.width, y1: y, y2: y }));
  }

  line(seat, k) {
    let path = `M0 ${this.y(this.game.points[0][k])}`;
    this.game.points.forEach((points, at) => {
      if (at && points[k] !== this.game.points[at - 1][k]) path += `H${this.x(at)}V${this.y(points[k])}`;
    });
    path += `H${CHART.width}`;
    for (const [color, width] of [[seat.outline, 5], [seat.fill, 2.6]]) {
      this.svg.append(svgElement("path", { d: path, fill: "none", stroke: color, "stroke-width": width }));
    }
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
    const x = this.x(at);
    this.cursor.setAttribute("x1", x);
    this.cursor.setAttribute("x2", x);
    const words = this.game.seats.map((seat, k) => `${seat.name}: ${this.game.points[at][k]}`);
    words.forEach((word, k) => (this.legend[k].textContent = word));
    this.svg.setAttribute("aria-label", `Points after decision ${at}: ${words.join(", ")}`);
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
    this.parts = [new Table(game), new Chart(game, seek), new Log(game, seek)];
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
      if (event.key === " " && event.target.tagName === "BUTTON") return;
      if (event.key === "+" || event.key === "-") this.faster(event.key === "+" ? 1 : -1);
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
    byId("position").textContent = `Decision ${at} of ${this.last}, turn ${turns[at][0]}`;
    const won = winner === null ? "no winner" : `${seats[winner].name} wins`;
    byId("result").textContent = `${won}, ${turns[this.last][0]} turns`;
  }
}

const game = await unpack(byId("game").textContent);
window.player = new Player(game);
