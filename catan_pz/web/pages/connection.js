// A page's WebSocket, which is opened anew when it is lost.

const LONGEST_WAIT = 8000;
const PATIENCE = 60000;
const MADE_ROOM = 4001;

// `hear` gets each message, `lose` what to say of an end. A page that had to make
// room for another waits until its person presses something, as pages that made room for each other
// would take it from each other again and again; so does one whose server was away for a minute.
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
    this.lost = null;
  }

  open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.idle = false;
    this.socket = new WebSocket(`${scheme}://${location.host}${this.path}`);
    this.socket.addEventListener("message", (event) => this.hear(JSON.parse(event.data)));
    this.socket.addEventListener("close", (event) => this.close(event));
  }

  close({ code, reason }) {
    this.lost ??= Date.now();
    this.idle = code === MADE_ROOM || Date.now() - this.lost > PATIENCE;
    if (code === MADE_ROOM) this.lose(`${reason} Press anywhere, or any key, to go on here.`);
    else if (this.idle) {
      this.lose("The server is gone: it has ended, or can't be reached. Press anywhere to try again.");
    } else this.lose(reason ? `${reason} Trying again …` : "The connection is lost; trying again …");
    if (this.idle) return;
    setTimeout(() => this.open(), this.wait);
    this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
  }

  comeBack() {
    if (!this.idle) return;
    this.welcome();
    this.open();
  }

  // Whether it could be sent.
  send(message) {
    const isOpen = this.socket.readyState === WebSocket.OPEN;
    if (isOpen) this.socket.send(JSON.stringify(message));
    return isOpen;
  }
}
