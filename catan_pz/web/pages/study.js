// A position to study: set up by hand, opened, continued by agents, saved.

import { AdviceTable } from "/static/advice.js";
import { Connection } from "/static/connection.js";
import { RESOURCES, byId, element, list, say, sentence } from "/static/dom.js";
import { download, packed, unpacked } from "/static/files.js";
import { CountsForm, TurnForm } from "/static/form.js";
import { Picture } from "/static/picture.js";
import { Seats } from "/static/seats.js";
import { remember, remembered } from "/static/storage.js";

const KEPT = "catan-pz-study";
const FORMAT = "catan-pz-study/1";
const NEAR = 6;
const TOOLS = [
  ["move", "Move", null], ["settlement", "Settlement", "vertex"], ["city", "City", "vertex"],
  ["road", "Road", "edge"], ["robber", "Robber", "hex"], ["nothing", "Take away", null],
  ["terrain", "Terrain", "hex"], ["token", "Number", "hex"], ["harbor", "Harbor", "edge"],
];
const LAID = {
  terrain: ["hills", "forest", "pasture", "fields", "mountains", "desert"],
  token: [2, 3, 4, 5, 6, 8, 9, 10, 11, 12],
  harbor: [null, ...RESOURCES],
};
const PIECES = [["settlements", "settlement", "vertex"], ["cities", "city", "vertex"], ["roads", "road", "edge"]];

class StudyPage {
  constructor() {
    this.picture = new Picture(byId("picture"), (name) => this.press(name), (text) => this.hint(text));
    this.known = new Seats(byId("known"), () => "");
    this.edit = (change) => this.send({ edit: change });
    this.counts = new CountsForm(byId("counts"), this.edit);
    this.turn = new TurnForm(byId("course"), this.edit);
    this.seat = 0;
    this.tool = "move";
    this.start = null;
    this.places = [];
    this.nodes = [];
    this.children = new Map();
    this.advice = new AdviceTable(byId("advice-rows"), (place) => this.picture.point(place));
    this.choices("tool", TOOLS.map(([value, text]) => [value, text]), this.tool, (value) => {
      this.tool = value;
      this.start = null;
      this.laid = [];
      const laid = LAID[value] ?? [];
      byId("laid").replaceChildren(...laid.map((one) => new Option(one ?? "3:1", JSON.stringify(one))));
      byId("laid").hidden = !laid.length;
      this.draw([]);
    });
    this.listen();
    const lose = (reason) => this.status(reason);
    this.connection = new Connection("/study/socket", (message) => this.hear(message), lose);
  }

  // A group of radio buttons that look like buttons.
  choices(home, options, chosen, change) {
    byId(home).replaceChildren(...options.map(([value, text, color]) => {
      const input = element("input", { type: "radio", name: home, value, checked: value === chosen });
      input.addEventListener("change", () => change(value));
      const label = element("label", { className: "choice" }, input);
      if (color) label.append(element("i", { className: color }));
      label.append(text);
      return label;
    }));
  }

  hear(message) {
    if (message.areas) this.begin(message);
    else if (message.refused) this.refuse(message.refused);
    else if (message.file) download(message.file, message.text);
    else this.update(message);
  }

  // A reload or a lost connection returns to the same position.
  begin(message) {
    this.connection.welcome();
    this.agentNames = message.known_agents;
    this.news = null;
    this.mostBytes = message.most_bytes;
    this.picture.start(message.board, message.areas);
    byId("adviser").replaceChildren(new Option("none", ""), ...this.agentNames.map((name) => new Option(name)));
    const kept = this.kept ?? remembered("sessionStorage", KEPT);
    this.opening = location.hash.length < 2 && kept !== null && this.openText(kept);
    if (location.hash.length > 1) this.openLink(new URLSearchParams(location.hash.slice(1)));
  }

  // The link contains the study, or names a finished game of a table and optionally a decision.
  async openLink(given) {
    history.replaceState(null, "", location.pathname);
    const text = given.has("text")
      ? await unpacked(given.get("text")).catch(() => null)
      : await fetch(`/record/${given.get("game")}`).then((found) => found.text());
    if (text === null) this.refuse("This link is damaged, or a part of one.");
    else if (this.openText(text) && given.has("at")) this.send({ go: Number(given.get("at")) });
  }

  async share() {
    const given = new URLSearchParams({ text: await packed(this.kept) });
    const href = `${location.origin}/study#${given}`;
    // Browsers allow the clipboard only for pages of this machine or over HTTPS.
    const copied = await navigator.clipboard?.writeText(href).then(() => true, () => false);
    if (copied) this.hint("The link is copied: it holds the position and all that was played from it.");
    else {
      const link = element("a", { href }, "this link");
      const words = ["The browser lends this page no clipboard: copy the address of ", link, "."];
      byId("problems").replaceChildren(element("li", {}, ...words));
    }
  }

  refuse(reason) {
    this.hint(reason);
    this.problems([reason]);
    // Fields return to the current values.
    if (this.news) this.forms();
  }

  problems(listed) {
    byId("problems").replaceChildren(...listed.map((line) => element("li", { textContent: line })));
  }

  update(news) {
    this.text = news.position;
    this.news = { ...news, position: JSON.parse(news.position) };
    this.known.show(news.view);
    if (news.places) this.places = news.places;
    this.start = null;
    this.tree(news);
    this.seat = Math.min(this.seat, news.agents.length - 1);
    // Messages before the stored position is opened don't replace it.
    if (!this.opening) this.keep();
    this.opening = false;
    this.draw(news.layers);
    this.problems(news.errors);
    this.forms();
    this.log();
    this.advise(news.advice);
    list(byId("words"), news.words);
    this.status(this.words(this.news));
  }

  tree({ nodes, first_node, start }) {
    if (!first_node) {
      this.nodes = [];
      this.children.clear();
      this.root = start;
    }
    for (const [parent, line, ...played] of nodes) {
      const siblings = this.children.get(parent) ?? [];
      siblings.push(this.nodes.length);
      this.children.set(parent, siblings);
      this.nodes.push({ parent, line, played });
    }
  }

  // The line through the position; others can be chosen where they branch off.
  log() {
    const line = this.line();
    const items = line.map((at) => this.item(at));
    byId("log").replaceChildren(...items);
    const current = items[line.indexOf(this.news.at)];
    byId("log").scrollTop = current.offsetTop - byId("log").clientHeight / 2;
  }

  line() {
    const path = [];
    for (let { at } = this.news; at >= 0; at = this.nodes[at].parent) path.unshift(at);
    for (let next = this.next(this.news.at); next; next = this.next(next)) path.push(next);
    return path;
  }

  next(at) {
    return this.children.get(at)?.[0];
  }

  item(at) {
    const { parent, line } = this.nodes[at];
    const made = element("li", { textContent: line || "The position that was set up" });
    made.addEventListener("click", () => this.send({ go: at }));
    if (at === this.news.at) made.setAttribute("aria-current", "step");
    const siblings = this.children.get(parent);
    if (siblings.length < 2) return made;
    const place = siblings.indexOf(at);
    const other = element("button", { textContent: `variation ${place + 1} of ${siblings.length}` });
    other.addEventListener("click", (event) => {
      event.stopPropagation();
      this.send({ go: siblings[(place + 1) % siblings.length] });
    });
    made.append(other);
    return made;
  }

  walk(where) {
    const line = this.line();
    const goals = { first: 0, back: this.nodes[this.news.at].parent, forward: this.next(this.news.at), last: line.at(-1) };
    if (goals[where] >= 0) this.send({ go: goals[where] });
  }

  advise(advice) {
    const shown = advice && !advice.failure ? advice : null;
    this.advice.show(shown);
    this.picture.advise(shown?.drawn ?? "");
    const wins = shown?.wins?.map((share, seat) => `${this.names()[seat]} ${Math.round(100 * share)} %`).join(", ");
    say(byId("advice-of"), advice?.failure ?? (wins ? `To win: ${wins}` : ""));
  }

  // The start is text, since its numbers have more digits than a browser's.
  keep() {
    const tree = this.nodes.slice(1).map(({ parent, played }) => [parent, ...played]);
    const rest = JSON.stringify({ format: FORMAT, at: this.news.at, tree });
    this.kept = `${rest.slice(0, -1)},"start":${this.root}}`;
    remember("sessionStorage", KEPT, this.kept);
  }

  words({ errors, is_playing, is_playable, position }) {
    if (errors.length) return "The position breaks the rules.";
    if (is_playing) return `Turn ${position.turn}. The agents play on.`;
    if (!is_playable) return `The game is over in turn ${position.turn}.`;
    return `Turn ${position.turn}. ${this.names()[position.player_to_move]} is to move. All cards are open.`;
  }

  names() {
    return this.news.agents.map((_, seat) => `Player ${seat}`);
  }

  forms() {
    const { position, is_playing, is_playable, can_undo, legal, agents } = this.news;
    const names = this.names();
    const options = names.map((name, seat) => [seat, name, `seat-${seat}`]);
    this.once("seats", names.length, () => this.choices("seats", options, this.seat, (seat) => {
      this.seat = seat;
      this.counts.show(this.news.position, seat);
    }));
    this.counts.show(position, this.seat);
    this.turn.show(position, names);
    byId("step").disabled = !is_playable;
    byId("run").disabled = !is_playable;
    byId("run").textContent = is_playing ? "Stop" : "Run";
    byId("undo").disabled = !can_undo;
    byId("act").disabled = !legal.length;
    this.once("actions", JSON.stringify(legal), () => {
      byId("actions").replaceChildren(...legal.map(([action, text]) => new Option(text, action)));
    });
    if (document.activeElement !== byId("json")) byId("json").value = this.text;
    this.once("agents", names.length, () => this.agents(names));
    byId("agents").querySelectorAll("select").forEach((select, seat) => { select.value = agents[seat]; });
  }

  // Unchanged elements stay, so that they keep the focus.
  once(part, wanted, build) {
    this.built ??= {};
    if (this.built[part] !== wanted) build();
    this.built[part] = wanted;
  }

  agents(names) {
    byId("agents").replaceChildren(...names.map((name, seat) => {
      const select = element("select", {}, ...this.agentNames.map((agent) => new Option(agent)));
      select.addEventListener("change", () => {
        const { agents } = this.news;
        this.send({ agents: agents.map((agent, k) => (k === seat ? select.value : agent)) });
      });
      return element("label", {}, name, select);
    }));
  }

  // The piece at each place, with its owner.
  standing() {
    const found = new Map();
    const { players, robber } = this.news.position;
    players.forEach((player, seat) => {
      for (const [entry, piece, kind] of PIECES) {
        for (const number of player[entry]) found.set(`${kind} ${number}`, `${piece} of player ${seat}`);
      }
    });
    found.set(`hex ${robber}`, "robber");
    return found;
  }

  draw(layers) {
    if (!this.news) return;
    const standing = this.standing();
    const kind = this.start?.split(" ")[0] ?? TOOLS.find(([tool]) => tool === this.tool)[2];
    const controls = this.places.map(({ name, words }) => {
      const there = standing.get(name);
      const wanted = kind ? name.startsWith(kind) : there !== undefined;
      return { name, words: `${name}, ${words}${there ? `: ${there}` : ""}`, skip: !wanted, active: true };
    });
    this.picture.show(layers, controls);
    this.mark(this.start, "chosen");
  }

  mark(name, sign) {
    for (const made of byId("picture").querySelectorAll(".control")) {
      made.classList.toggle(sign, made.dataset.name === name);
    }
  }

  press(name) {
    if (this.justDragged) return;
    if (LAID[this.tool]) {
      this.edit({ lay: this.tool, at: name, to: JSON.parse(byId("laid").value), spared: this.laid });
      this.laid.push(name);
    } else if (this.tool !== "move") {
      this.edit({ put: this.tool, at: name, seat: this.seat });
    } else if (this.start === null) {
      const there = this.standing().get(name);
      if (!there) return this.hint("Nothing stands here that could be moved.");
      this.start = name;
      this.draw([]);
      this.hint(`Press where the ${there} goes`);
    } else if (this.start === name) {
      this.start = null;
      this.draw([]);
    } else {
      this.move(this.start, name);
    }
  }

  move(start, end) {
    this.start = null;
    this.edit({ move: start, to: end });
  }

  listen() {
    byId("step").addEventListener("click", () => this.play(1));
    byId("run").addEventListener("click", () => {
      if (this.news.is_playing) this.send({ stop: true });
      else this.play(null);
    });
    for (const where of ["first", "back", "forward", "last"]) {
      byId(where).addEventListener("click", () => this.walk(where));
    }
    document.addEventListener("keydown", (event) => {
      const where = { ArrowLeft: "back", ArrowRight: "forward" }[event.key];
      if (where && this.news && !event.target.matches("input, select, textarea")) this.walk(where);
    });
    byId("adviser").addEventListener("change", () => this.send({ ask: byId("adviser").value }));
    byId("share").addEventListener("click", () => this.share());
    byId("undo").addEventListener("click", () => this.send({ undo: true }));
    byId("act").addEventListener("click", () => this.send({ action: Number(byId("actions").value) }));
    byId("save-position").addEventListener("click", () => this.send({ save: "position" }));
    byId("save-record").addEventListener("click", () => this.send({ save: "record" }));
    byId("save-study").addEventListener("click", () => download("study.json", this.kept));
    byId("paste").addEventListener("click", () => this.openText(byId("json").value));
    byId("new-empty").addEventListener("click", () => this.begun("main"));
    byId("new-game").addEventListener("click", () => this.begun("setup_settlement"));
    byId("file").addEventListener("change", (event) => this.open(event.target.files[0]));
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => {
      event.preventDefault();
      this.open(event.dataTransfer.files[0]);
    });
    this.dragging();
  }

  begun(phase) {
    const rules = {
      num_players: Number(byId("players").value),
      board: byId("board").value,
      trading: byId("trading").checked,
    };
    this.send({ new: { rules, seed: Math.floor(Math.random() * 2 ** 32), phase } });
  }

  play(decisions) {
    this.send({ play_on: { decisions, pause: Number(byId("pause").value) } });
  }

  async open(file) {
    byId("file").value = "";
    if (!file) return;
    if (file.size > this.mostBytes) return this.tooLong();
    const text = await file.text().catch(() => null); // a folder, for instance
    if (text === null) this.refuse(`${file.name} can't be read.`);
    else this.openText(text);
  }

  // Returns whether it is short enough: the server disconnects a page that sends more.
  openText(text) {
    const message = { open: text };
    const isShort = new Blob([JSON.stringify(message)]).size <= this.mostBytes;
    if (isShort) this.send(message);
    else this.tooLong();
    return isShort;
  }

  tooLong() {
    const most = Math.floor(this.mostBytes / 1024);
    this.refuse(`This is too long: the study opens positions and records of up to ${most} KiB.`);
  }

  // Drags a piece from its place to another of the same kind, by mouse, pen or finger.
  dragging() {
    const home = byId("picture");
    const at = (event) => document.elementFromPoint(event.clientX, event.clientY)?.dataset?.name;
    let drag = null;
    const end = () => {
      drag?.ghost?.remove();
      drag = null;
      this.mark(null, "target");
    };
    home.addEventListener("pointerdown", (event) => {
      const name = event.target.dataset?.name;
      this.justDragged = false;
      if (name && this.news && this.standing().has(name)) {
        // Touch captures the pointer; it is released to find the element below.
        event.target.releasePointerCapture(event.pointerId);
        drag = { name, x: event.clientX, y: event.clientY, ghost: null };
      }
    });
    document.addEventListener("pointermove", (event) => {
      if (!drag) return;
      const far = Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > NEAR;
      if (!drag.ghost && !far) return;
      drag.ghost ??= document.body.appendChild(element("div", { id: "dragged" }));
      drag.ghost.style.left = `${event.clientX}px`;
      drag.ghost.style.top = `${event.clientY}px`;
      this.mark(at(event) ?? null, "target");
    });
    document.addEventListener("pointerup", (event) => {
      if (!drag?.ghost) return end();
      const { name } = drag;
      const target = at(event);
      end();
      this.justDragged = true;
      setTimeout(() => { this.justDragged = false; }); // after the click, if there is one
      if (target && target !== name) this.move(name, target);
    });
    document.addEventListener("pointercancel", end);
  }

  hint(text) {
    byId("hint").textContent = sentence(text);
  }

  status(text) {
    byId("status").textContent = text;
  }

  send(message) {
    this.connection.send(message);
  }
}

window.studyPage = new StudyPage();
