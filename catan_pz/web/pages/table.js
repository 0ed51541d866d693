// A table in the browser: shows what the server sends, and tells it what is pressed.

import { Picture } from "/static/picture.js";

const LONGEST_WAIT = 8000;
const byId = (id) => document.getElementById(id);

class TablePage {
  constructor() {
    this.picture = new Picture(byId("picture"), (name) => this.press(name), (words) => this.hint(words));
    this.news = null;
    this.wait = 500;
    this.waiting = false;
    byId("again").addEventListener("click", () => this.send({ again: true }));
    document.addEventListener("keydown", (event) => this.key(event));
    setInterval(() => this.status(), 500);
    this.connect();
  }

  connect() {
    const link = location.pathname.split("/").pop();
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}/socket/${link}`);
    this.socket.addEventListener("message", (event) => this.hear(JSON.parse(event.data)));
    this.socket.addEventListener("close", () => {
      this.lost = "The connection is lost; trying again …";
      this.status();
      setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
    });
  }

  hear(message) {
    if (message.layout) {
      this.wait = 500;
      this.lost = null;
      this.picture.start(message.layout);
      this.viewer = message.viewer;
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
    const log = byId("log");
    while (log.children.length > news.first_line) log.lastChild.remove();
    for (const line of news.log) {
      const item = document.createElement("li");
      item.textContent = line;
      log.append(item);
    }
    log.scrollTop = log.scrollHeight;
    byId("again").hidden = !(news.over && this.viewer >= 0);
    document.title = news.to_move === this.viewer && !news.over ? "Your move · catan-pz" : "catan-pz";
    this.status();
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
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
    else this.waiting = false;
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const control = this.picture.ofKey(event.key);
    if (!control) return;
    event.preventDefault();
    this.press(control.name);
  }
}

window.tablePage = new TablePage();
