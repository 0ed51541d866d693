// A table in the browser: shows what the server sends, and tells it what is pressed.

import { AdviceTable } from "/static/advice.js";
import { Connection } from "/static/connection.js";
import { Picture } from "/static/picture.js";
import { remember, remembered } from "/static/storage.js";

const TRY_AGAIN_LATER = 1013;
const REMEMBERED = "catan-pz advice";
const byId = (id) => document.getElementById(id);

// What an agent thinks of one's own decisions, where the table offers it; on or off is remembered.
class AdvicePanel {
  constructor(picture, send) {
    this.picture = picture;
    this.send = send;
    this.table = new AdviceTable(byId("advice-rows"), (place) => picture.point(place));
    this.box = byId("advised");
    this.box.checked = remembered("localStorage", REMEMBERED) === "on";
    this.box.addEventListener("change", () => this.switch());
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
    remember("localStorage", REMEMBERED, this.box.checked ? "on" : "off");
    this.send({ advise: this.box.checked });
    this.given = null;
    this.show();
  }

  take(advice) {
    this.given = advice;
    this.show();
  }

  // `decision` is the number of the decision on which there is advice, null where there is none.
  update(decision) {
    this.decision = decision;
    this.show();
  }

  show() {
    const fits = this.box.checked && this.given !== null && this.given.decision === this.decision;
    const advice = fits && !this.given.failure ? this.given : null;
    const words = this.words(fits);
    if (byId("advice-of").textContent !== words) byId("advice-of").textContent = words;
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
    this.picture = new Picture(byId("picture"), (name) => this.press(name), (words) => this.hint(words));
    this.advice = new AdvicePanel(this.picture, (message) => this.send(message));
    this.news = null;
    this.waiting = false;
    byId("again").addEventListener("click", () => this.send({ again: true }));
    document.addEventListener("keydown", (event) => this.key(event));
    setInterval(() => this.status(), 500);
    const link = location.pathname.split("/").pop();
    const lose = (code, reason, madeRoom) => this.lose(code, reason, madeRoom);
    this.connection = new Connection(`/socket/${link}`, (message) => this.hear(message), lose);
  }

  lose(code, reason, madeRoom) {
    if (madeRoom) this.lost = `${reason} Press anywhere, or any key, to go on here.`;
    else if (code === TRY_AGAIN_LATER) this.lost = `${reason} Trying again …`;
    else this.lost = "The connection is lost; trying again …";
    this.status();
  }

  hear(message) {
    if (message.layout) {
      this.connection.welcome();
      this.lost = null;
      this.picture.start(message.layout);
      this.viewer = message.viewer;
      this.advice.start(message.adviser);
    } else if (message.advice) {
      this.advice.take(message.advice);
    } else if (message.refused) {
      this.waiting = false;
      this.hint(message.refused);
    } else if (message.failure) {
      this.lost = message.failure;
      this.status();
    } else {
      this.update(message);
    }
  }

  update(news) {
    this.news = news;
    this.waiting = false;
    this.since = Date.now();
    this.picture.show(news.layers, news.controls);
    this.list(byId("words"), news.words);
    const log = byId("log");
    while (log.children.length > news.first_line) log.lastChild.remove();
    log.append(...news.log.map((line) => this.item(line)));
    log.scrollTop = log.scrollHeight;
    const mine = news.to_move === this.viewer && !news.over;
    this.advice.update(news.advised);
    const warning = news.warning ?? "";
    if (byId("warning").textContent !== warning) byId("warning").textContent = warning;
    byId("again").hidden = !(news.over && this.viewer >= 0);
    document.title = mine ? "Your move · catan-pz" : "catan-pz";
    this.status();
  }

  item(line) {
    const made = document.createElement("li");
    made.textContent = line;
    return made;
  }

  // Lines that stay the same are left alone, so that nobody who reads them is interrupted.
  list(home, lines) {
    while (home.children.length > lines.length) home.lastChild.remove();
    lines.forEach((line, k) => {
      if (!home.children[k]) home.append(this.item(line));
      else if (home.children[k].textContent !== line) home.children[k].textContent = line;
    });
  }

  status() {
    const place = byId("status");
    place.className = this.lost ? "lost" : "";
    const words = this.lost ?? (this.news ? this.words(this.news) : "Connecting …");
    if (place.textContent !== words) place.textContent = words;
  }

  words(news) {
    if (news.over) return news.result;
    const turn = `Turn ${news.turn}. `;
    if (news.to_move === this.viewer) return `${turn}Your move.`;
    const name = news.names[news.to_move];
    if (!news.thinking) return `${turn}${name} is to move.`;
    const seconds = Math.floor((Date.now() - this.since) / 1000);
    return `${turn}${name} is thinking${seconds > 1 ? `, ${seconds} s` : ""}.`;
  }

  hint(words) {
    byId("hint").textContent = words && words[0].toUpperCase() + words.slice(1);
  }

  press(name) {
    if (this.waiting || !this.news) return;
    this.waiting = true;
    this.send({ press: name, version: this.news.version });
  }

  send(message) {
    if (!this.connection.send(message)) this.waiting = false;
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.toLowerCase() === "h" && this.advice.adviser) {
      if (!event.repeat) byId("advised").click();
      return;
    }
    const control = this.picture.ofKey(event.key);
    if (!control) return;
    event.preventDefault();
    // A key that is held down is pressed once.
    if (!event.repeat) this.picture.choose(control);
  }
}

window.tablePage = new TablePage();
