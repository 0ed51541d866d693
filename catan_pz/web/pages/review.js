// A review of the game: tables by seat, and lists of decisions, each linked to its picture.

import { byId, element } from "/static/dom.js";

const LINES = ["played", "placed", "better"];

class Review {
  // `seek` shows a decision.
  constructor(game, seek) {
    this.names = game.names;
    this.seek = seek;
    this.entries = [];
    for (const table of game.review) {
      const rows = table.at ? this.list(table) : this.table(table);
      byId("review").append(element("h3", {}, table.name), element("p", {}, table.note), rows);
    }
  }

  // The colour and the name of a seat.
  seat(name) {
    return element("b", { className: `seat-${this.names.indexOf(name)}` }, element("i"), element("span", {}, name));
  }

  table({ titles, rows }) {
    const head = (scope, content) => element("th", { scope }, content);
    const heads = titles.map((title, k) => (k ? head("col", this.seat(title)) : element("td")));
    const lines = rows.map(([title, ...cells]) =>
      element("tr", {}, head("row", title), ...cells.map((cell) => element("td", {}, cell))));
    return element("table", {}, element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...lines));
  }

  list({ titles, rows, at }) {
    return element("ol", {}, ...rows.map((row, k) => element("li", {}, this.entry(titles, row, at[k]))));
  }

  entry(titles, row, at) {
    const first = element("span");
    const button = element("button", {}, first);
    row.forEach((cell, k) => {
      const title = titles[k];
      if (title === "player") first.append(this.seat(cell));
      else if (!LINES.includes(title)) first.append(element("span", {}, title === "lost" ? `−${cell}` : `${title} ${cell}`));
      else if (cell) button.append(element("span", {}, element("small", {}, `${title} `), cell));
    });
    button.addEventListener("click", () => {
      this.seek(at);
      if (getComputedStyle(document.body).height > innerHeight) byId("picture").scrollIntoView();
    });
    this.entries.push([at, button]);
    return button;
  }

  show(at) {
    for (const [number, button] of this.entries) {
      if (number === at) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    }
  }
}

// The log and the review, one of them shown; a server computes a review on request.
export class Tabs {
  constructor(game, seek) {
    this.tabs = [byId("log-tab"), byId("review-tab")];
    this.served = !game.review && location.pathname.startsWith("/replay/");
    byId("history").classList.toggle("tabbed", game.review || this.served);
    this.tabs.forEach((tab) => tab.addEventListener("click", () => this.open(tab)));
    if (!game.review) return;
    this.review = new Review(game, seek);
    this.open(this.tabs[1]);
  }

  open(chosen) {
    if (this.served && chosen === this.tabs[1]) {
      chosen.textContent = "Working the review out …";
      location.pathname = location.pathname.replace("/replay/", "/review/");
      return;
    }
    for (const tab of this.tabs) {
      tab.setAttribute("aria-selected", tab === chosen);
      byId(tab.getAttribute("aria-controls")).hidden = tab !== chosen;
    }
  }

  show(at) {
    this.review?.show(at);
  }
}
