// The picture of a table, with a pressable shape over each control.

const SVG = "http://www.w3.org/2000/svg";

// The parts of the desk that a narrow screen shows below each other, within its frame, which would be
// open at the cut: hand and cards with the line above them, then tray and buttons. From the desk's top.
const DESK_PARTS = [
  { left: 14, right: 612, top: 8, bottom: 128 },
  { left: 608, right: 1106, top: 34, bottom: 150 },
];

function svgElement(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// How far discs and bars reach on a narrow screen, so that a finger meets them; a disc grows by no
// more than half, so that a small one leaves the middle of the cell in whose corner it is.
const FINGER = { disc: 23, bar: 15 };
const MOST_GROWTH = 1.5;

// A box by corner and size, a disc by centre and radius, a bar by its ends and reach.
function shape(area, narrow) {
  if (area.length === 4) {
    const [x, y, width, height] = area;
    return svgElement("rect", { x, y, width, height, rx: 6 });
  }
  if (area.length === 3) {
    const [cx, cy, drawn] = area;
    const reach = narrow ? Math.max(drawn, Math.min(FINGER.disc, MOST_GROWTH * drawn)) : drawn;
    return svgElement("circle", { cx, cy, r: reach });
  }
  const [x1, y1, x2, y2, drawn] = area;
  const reach = narrow ? Math.max(drawn, FINGER.bar) : drawn;
  return svgElement("line", { x1, y1, x2, y2, "stroke-width": 2 * reach });
}

export class Picture {
  constructor(home, press, hint) {
    this.home = home;
    this.press = press;
    this.hint = hint;
    this.layers = [];
    this.controls = [];
    this.advice = "";
    this.narrow = matchMedia("(max-width: 640px)");
    this.narrow.addEventListener("change", () => this.rebuild());
  }

  // On a narrow screen board, desk and panels stand below each other.
  windows() {
    const { width, height, desk, split, top } = this.layout;
    if (!this.narrow.matches) return [[0, 0, width, height + desk]];
    const high = top;
    const parts = [[0, 0, split, high], [split, 0, width - split, high]];
    if (!desk) return parts;
    const cut = DESK_PARTS.map((part) => [
      part.left, top + part.top, part.right - part.left, part.bottom - part.top,
    ]);
    return [parts[0], ...cut, parts[1]];
  }

  start(layout) {
    this.layout = layout;
    this.layers = [];
    this.rebuild();
  }

  rebuild() {
    if (!this.layout) return;
    this.views = this.windows().map((box) => {
      const svg = svgElement("svg", { viewBox: box.join(" "), role: "group", "aria-label": "Table" });
      const drawn = svgElement("g", { "aria-hidden": "true" });
      const advised = svgElement("g", { "aria-hidden": "true" });
      const pressable = svgElement("g", {});
      svg.append(drawn, advised, pressable);
      return { svg, drawn, advised, pressable, box };
    });
    this.home.replaceChildren(...this.views.map((view) => view.svg));
    this.draw(this.layers.map((_, k) => k));
    this.advise(this.advice);
    this.place();
  }

  // Numbers of an adviser, as SVG above the board.
  advise(drawn) {
    this.advice = drawn;
    this.views[0].advised.innerHTML = drawn; // the board is in the first of them
  }

  // Marks what can be pressed at a place, such as "vertex 12"; null for nothing.
  point(place) {
    for (const made of this.home.querySelectorAll(".control")) {
      made.classList.toggle("pointed", made.dataset.name === place);
    }
  }

  show(layers, controls) {
    const changed = [];
    const kept = layers.map((layer, k) => {
      if (layer === null) return this.layers[k];
      changed.push(k);
      return layer;
    });
    this.layers = kept;
    this.controls = controls;
    this.draw(changed);
    this.place();
  }

  draw(changed) {
    for (const { drawn } of this.views) {
      while (drawn.children.length > this.layers.length) drawn.lastChild.remove();
      for (const k of changed) {
        const group = svgElement("g", {});
        group.innerHTML = this.layers[k];
        if (drawn.children[k]) drawn.children[k].replaceWith(group);
        else drawn.append(group);
      }
    }
  }

  place() {
    const focused = document.activeElement?.dataset?.name;
    const first = new Map([...this.controls].reverse().map((control) => [control.name, control]));
    for (const { pressable, box } of this.views) {
      const shown = this.controls.filter((control) => this.isInside(control.area, box));
      const made = this.inOrder(shown).map((c) => this.button(c, first.get(c.name) === c));
      pressable.replaceChildren(...made);
    }
    if (focused === undefined) return;
    const firsts = this.home.querySelectorAll(".control:not([aria-hidden])");
    const same = [...firsts].find((one) => one.dataset.name === focused);
    same?.focus({ preventScroll: true });
  }

  // The order of Tab, in which what comes later lies on top: boxes, which cover nothing, as they are
  // read; above them the rest, whose upper kinds come first among the controls.
  inOrder(controls) {
    const boxes = controls.filter(({ area }) => area.length === 4);
    const others = controls.filter(({ area }) => area.length !== 4);
    const kind = ({ name }) => name.split(" ")[0];
    const kinds = [...new Set(others.map(kind))].reverse();
    return [...boxes, ...kinds.flatMap((one) => others.filter((control) => kind(control) === one))];
  }

  isInside(area, [x, y, width, height]) {
    const [left, top] = area;
    return left >= x - 4 && left < x + width && top >= y - 4 && top < y + height;
  }

  // A further area of a control is there for pointers alone.
  button(control, isFirst) {
    const made = shape(control.area, this.narrow.matches);
    made.classList.add("control");
    made.dataset.name = control.name;
    const words = control.key && control.active ? `${control.words} (${control.key})` : control.words;
    const attributes = { role: "button", tabindex: control.skip || !isFirst ? -1 : 0, "aria-label": words };
    if (!isFirst) attributes["aria-hidden"] = true;
    if (!control.active) attributes["aria-disabled"] = true;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.addEventListener("click", () => this.choose(control));
    made.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      event.stopPropagation();
      if (!event.repeat) this.choose(control);
    });
    for (const kind of ["pointerenter", "focus"]) made.addEventListener(kind, () => this.hint(words));
    for (const kind of ["pointerleave", "blur"]) made.addEventListener(kind, () => this.hint(""));
    return made;
  }

  // What can't be pressed says why.
  choose(control) {
    if (control.active) this.press(control.name);
    else this.hint(control.words);
  }

  ofKey(key) {
    const wanted = key.toLowerCase();
    return this.controls.find((control) => control.key && control.key === wanted);
  }
}
