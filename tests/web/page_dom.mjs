// As much of a browser as the pages' programs need, for tests without one.

class FakeElement {
  constructor(tag = "") {
    Object.assign(this, { tag, children: [], dataset: {}, attributes: {}, heard: {}, textContent: "" });
    this.style = { setProperty() {} };
    this.classList = { add() {}, toggle() {}, remove() {} };
  }
  append(...added) { this.children.push(...added); }
  prepend(...added) { this.children.unshift(...added); }
  appendChild(added) { this.children.push(added); return added; }
  replaceChildren(...added) { this.children = added; }
  querySelectorAll() { return []; }
  querySelector() { return null; }
  setAttribute(name, value) { this.attributes[name] = value; }
  addEventListener(kind, listener) { (this.heard[kind] ??= []).push(listener); }
  dispatch(kind, event = {}) { for (const listener of this.heard[kind] ?? []) listener(event); }
  releasePointerCapture() {}
  remove() {}
  focus() {}
}

const byId = new Map();
globalThis.sockets = [];
globalThis.document = Object.assign(new FakeElement("document"), {
  body: new FakeElement("body"),
  activeElement: null,
  createElement: (tag) => new FakeElement(tag),
  createElementNS: (_, tag) => new FakeElement(tag),
  elementFromPoint: () => null,
  getElementById(id) {
    if (!byId.has(id)) byId.set(id, new FakeElement(id));
    return byId.get(id);
  },
});
globalThis.window = globalThis;
Object.defineProperty(globalThis, "navigator", { value: {}, configurable: true });
globalThis.location = { protocol: "http:", host: "localhost", hash: "", pathname: "/table/link" };
globalThis.history = { replaceState() {} };
globalThis.matchMedia = () => Object.assign(new FakeElement("media"), { matches: false });
globalThis.Option = class extends FakeElement {};
globalThis.setInterval = () => 0;
globalThis.WebSocket = class extends FakeElement {
  static OPEN = 1;
  constructor() {
    super("socket");
    Object.assign(this, { readyState: 1, sent: [] });
    globalThis.sockets.push(this);
  }
  send(text) { this.sent.push(JSON.parse(text)); }
  hear(message) { this.dispatch("message", { data: JSON.stringify(message) }); }
};

// Storage that holds nothing, is full, or is forbidden.
export function storage(kind) {
  const kept = new Map();
  const full = () => { throw new Error("it is full"); };
  const made = {
    getItem: (key) => kept.get(key) ?? null,
    setItem: kind === "full" ? full : (key, text) => kept.set(key, text),
  };
  for (const name of ["localStorage", "sessionStorage"]) {
    const get = () => {
      if (kind === "forbidden") throw new Error("it is forbidden");
      return made;
    };
    Object.defineProperty(globalThis, name, { get, configurable: true });
  }
}
