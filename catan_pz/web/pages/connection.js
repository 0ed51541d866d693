// A page's WebSocket, which is opened anew when it is lost.

const LONGEST_WAIT = 8000;
const MADE_ROOM = 4001;

// `hear` gets each message, `lose` what the server says at the end: its code and reason, and whether
// the page had to make room for another. Such a page waits until its person presses something: pages
// that made room for each other would take it from each other again and again.
export class Connection {
  constructor(path, hear, lose) {
    this.path = path;
    this.hear = hear;
    this.lose = lose;
    this.welcome();
    for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, () => this.comeBack());
    this.open();
  }

  // The server has answered: the next wait is a short one.
  welcome() {
    this.wait = 500;
  }

  open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}${this.path}`);
    this.socket.addEventListener("message", (event) => this.hear(JSON.parse(event.data)));
    this.socket.addEventListener("close", (event) => this.close(event));
  }

  close({ code, reason }) {
    this.madeRoom = code === MADE_ROOM;
    this.lose(code, reason, this.madeRoom);
    if (this.madeRoom) return;
    setTimeout(() => this.open(), this.wait);
    this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
  }

  comeBack() {
    if (!this.madeRoom) return;
    this.madeRoom = false;
    this.open();
  }

  // Whether it could be sent.
  send(message) {
    const isOpen = this.socket.readyState === WebSocket.OPEN;
    if (isOpen) this.socket.send(JSON.stringify(message));
    return isOpen;
  }
}
