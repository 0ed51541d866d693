// A table of an agent's advice: actions, a bar and a number for each, the best first.

function cell(kind, words) {
  const made = document.createElement(kind);
  made.textContent = words;
  return made;
}

export class AdviceTable {
  // `point` is told the place of the row under the pointer, null when it leaves.
  constructor(table, point = () => {}) {
    this.table = table;
    this.point = point;
  }

  show(advice) {
    this.table.hidden = advice === null;
    this.table.replaceChildren();
    if (advice === null) return;
    const head = this.table.createTHead().insertRow();
    for (const title of ["Action", ...advice.columns]) {
      const made = cell("th", title);
      made.scope = "col";
      head.append(made);
    }
    const body = this.table.createTBody();
    for (const row of advice.rows) body.append(this.row(row));
    if (!advice.more) return;
    const more = body.insertRow().insertCell();
    more.colSpan = 1 + advice.columns.length;
    more.textContent = `and ${advice.more} more`;
  }

  row([words, place, bar, played, texts]) {
    const made = document.createElement("tr");
    const action = cell("th", words);
    action.scope = "row";
    action.style.setProperty("--bar", `${100 * bar}%`);
    if (played) action.append(cell("em", " (played)"));
    made.append(action, ...texts.map((text) => cell("td", text)));
    made.addEventListener("pointerenter", () => this.point(place));
    made.addEventListener("pointerleave", () => this.point(null));
    return made;
  }
}
