// Elements of pages.

const SVG = "http://www.w3.org/2000/svg";

export const RESOURCES = ["brick", "lumber", "wool", "grain", "ore"];
export const CARDS = ["knight", "road_building", "year_of_plenty", "monopoly", "victory_point"];

export const byId = (id) => document.getElementById(id);

export const words = (name) => name.replaceAll("_", " ");

export const sentence = (text) => text && text[0].toUpperCase() + text.slice(1);

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) made[key] = value;
  made.append(...children);
  return made;
}

export function svgElement(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// One of the page's symbols.
export function sign(name) {
  const made = svgElement("svg", { class: "sign", "aria-hidden": "true" });
  made.append(svgElement("use", { href: `#${name}` }));
  return made;
}

// Text is changed only where it differs, so that screen readers aren't interrupted.
export function say(home, text) {
  if (home.textContent !== text) home.textContent = text;
}

export function list(home, lines) {
  while (home.children.length > lines.length) home.lastChild.remove();
  lines.forEach((line, k) => {
    if (!home.children[k]) home.append(element("li"));
    say(home.children[k], line);
  });
}
