// A table of an agent's advice: actions, a bar and a number for each, the best first.

import { element } from "/static/dom.js";

export class AdviceTable {
  // `point` is called with the place of the row under the pointer, null when it leaves.
  constructor(table, point) {
    this.table = table;
    this.point = point;
  }

  show(advice) {
    this.table.hidden = advice === null;
    this.table.replaceChildren();
    if (advice === null) return;
    const titles = ["Action", ...advice.columns];
    const heads = titles.map((title) => element("th", { scope: "col", textContent: title }));
    const rows = advice.rows.map((row) => this.row(row));
    if (advice.more) {
      const more = element("td", { colSpan: titles.length, textContent: `and ${advice.more} more` });
      rows.push(element("tr", {}, more));
    }
    this.table.append(element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows));
  }

  row([words, place, bar, played, texts]) {
    const action = element("th", { scope: "row", textContent: words });
    action.style.setProperty("--bar", `${100 * bar}%`);
    if (played) action.append(element("em", { textContent: " (played)" }));
    const made = element("tr", {}, action, ...texts.map((text) => element("td", { textContent: text })));
    made.addEventListener("pointerenter", () => this.point(place));
    made.addEventListener("pointerleave", () => this.point(null));
    return made;
  }
}
