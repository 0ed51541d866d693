// A page's WebSocket, which is reopened when it is lost.

const LONGEST_WAIT = 8000;
const PATIENCE = 60000;
const MADE_ROOM = 4001;

// `hear` gets each message, `lose` the message about a lost connection. A page that was closed for
// a newer one waits until its user presses something; otherwise the two would close each other
// again and again. A page whose server was away for a minute waits, too.
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

  // Returns whether the message could be sent.
  send(message) {
    const isOpen = this.socket.readyState === WebSocket.OPEN;
    if (isOpen) this.socket.send(JSON.stringify(message));
    return isOpen;
  }
}
