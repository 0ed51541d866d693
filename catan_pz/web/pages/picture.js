// The board, with a pressable shape over each place.

import { svgElement } from "/static/dom.js";

// Radius of discs and bars for touch.
const FINGER = { disc: 23, bar: 15 };
const RINGS = { hex: 40, vertex: 13, edge: 0 };

const kindOf = (place) => place.split(" ")[0];

export class Picture {
  constructor(home, press, hint) {
    this.home = home;
    this.press = press;
    this.hint = hint;
    this.coarse = matchMedia("(pointer: coarse)");
  }

  start(box, areas) {
    this.areas = areas;
    this.svg = svgElement("svg", { viewBox: box.join(" "), role: "group", "aria-label": "Board" });
    this.parts = {};
    for (const name of ["drawn", "happened", "marks", "advised", "pressable"]) {
      this.parts[name] = svgElement("g", name === "pressable" ? {} : { "aria-hidden": "true" });
      this.svg.append(this.parts[name]);
    }
    this.home.replaceChildren(this.svg);
  }

  // A disc by centre and radius, a bar by its ends and reach.
  shape(place, reach) {
    const area = this.areas[place];
    if (area.length === 3) return svgElement("circle", { cx: area[0], cy: area[1], r: reach ?? area[2] });
    const [x1, y1, x2, y2, wide] = area;
    return svgElement("line", { x1, y1, x2, y2, "stroke-width": 2 * (reach ?? wide) });
  }

  // An adviser's numbers, as SVG above the board.
  advise(drawn) {
    this.parts.advised.innerHTML = drawn;
  }

  // Marks the control at a place, such as "vertex 12"; null for none.
  point(place) {
    for (const made of this.home.querySelectorAll(".control")) {
      made.classList.toggle("pointed", made.dataset.name === place);
    }
  }

  // Rings on places, highlighted hexes.
  ring(places, hexes = []) {
    const made = [...hexes, ...places].map((place) => {
      const one = this.shape(place, kindOf(place) === "vertex" ? 21 : undefined);
      one.classList.add(hexes.includes(place) ? "lit" : "ring");
      return one;
    });
    this.parts.happened.replaceChildren(...made);
  }

  show(layers, controls) {
    layers.forEach((layer, k) => {
      if (layer === null) return;
      const group = svgElement("g", {});
      group.innerHTML = layer;
      const { drawn } = this.parts;
      if (drawn.children[k]) drawn.children[k].replaceWith(group);
      else drawn.append(group);
    });
    this.place(controls);
  }

  // Pressable shapes; unchanged ones stay, so that they keep the focus.
  place(controls) {
    const { marks, pressable } = this.parts;
    const focused = document.activeElement?.dataset?.name;
    const wanted = controls.flatMap((control) => {
      const places = [control.name, ...(control.places ?? [])].filter((place) => this.areas[place]);
      return places.map((place) => ({ control, place }));
    });
    // The tab order, in which later shapes lie on top: hexes below edges below vertices.
    const order = ["hex", "edge", "vertex"];
    const rank = ({ place }) => order.indexOf(kindOf(place));
    wanted.sort((one, other) => rank(one) - rank(other));
    pressable.replaceChildren(...wanted.map((one) => this.button(one)));
    marks.replaceChildren(...wanted.filter(({ control }) => control.plays).flatMap((one) => this.mark(one)));
    const same = [...pressable.children].find((one) => focused && one.dataset.name === focused);
    same?.focus({ preventScroll: true });
  }

  mark({ place }) {
    const kind = kindOf(place);
    return ["halo", "dashes"].map((name) => {
      const made = this.shape(place, kind === "edge" ? 4 : RINGS[kind]);
      made.classList.add(name, kind);
      return made;
    });
  }

  button({ control, place }) {
    const bar = kindOf(place) === "edge";
    const reach = this.coarse.matches && kindOf(place) !== "hex" ? (bar ? FINGER.bar : FINGER.disc) : undefined;
    const made = this.shape(place, reach);
    made.classList.add("control");
    made.dataset.name = control.name;
    const words = control.words;
    const attributes = { role: "button", tabindex: control.skip ? -1 : 0, "aria-label": words };
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.addEventListener("click", () => this.press(control.name));
    made.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      event.stopPropagation();
      if (!event.repeat) this.press(control.name);
    });
    for (const kind of ["pointerenter", "focus"]) made.addEventListener(kind, () => this.hint(words));
    for (const kind of ["pointerleave", "blur"]) made.addEventListener(kind, () => this.hint(""));
    return made;
  }
}
