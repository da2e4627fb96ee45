// The connection to the server: a WebSocket, or long polls where that does not open. It connects again by itself, and asks
// again what was not answered: the server carries out an operation once.

const SLOWEST = 2000; // ms between attempts
const PATIENCE = 4000; // ms for a WebSocket to open

export class Wire {
  /**
   * @param {() => Promise<object>} connect returns a line, and the first frames
   * @param {(frame: object) => void} hear is given what the server says
   * @param {(state: "open" | "lost") => void} changed
   */
  constructor(connect, hear, changed) {
    this.connect = connect;
    this.hear = hear;
    this.changed = changed;
    this.waiting = new Map();
    this.failed = 0;
    this.refused = 0;
    this.turn = 0;
  }

  /** Connect, or connect anew. */
  async open() {
    const turn = ++this.turn;
    clearTimeout(this.timer);
    this.socket?.close();
    this.socket = null;
    this.line = "";
    try {
      const begun = await this.connect();
      if (turn !== this.turn) return;
      this.line = begun.line;
      for (const frame of begun.frames) this.take(frame);
      if (turn !== this.turn) return;
      if (this.refused >= 2 || !self.WebSocket) await this.poll(turn);
      else this.listen(turn);
    } catch {
      if (turn === this.turn) this.lose(turn);
    }
  }

  /** Ask for something that is answered: returns the name of the request. */
  ask(what) {
    const op = [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(36).padStart(2, "0")).join("");
    const asked = { op, ...what };
    this.waiting.set(op, asked);
    this.post(asked);
    return op;
  }

  listen(turn) {
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/w?line=${this.line}`);
    let opened = false;
    const slow = setTimeout(() => socket.close(), PATIENCE);
    socket.onopen = () => {
      opened = true;
      clearTimeout(slow);
      for (const asked of this.waiting.values()) this.post(asked);
    };
    socket.onmessage = (event) => turn === this.turn && this.take(JSON.parse(event.data));
    socket.onclose = () => {
      clearTimeout(slow);
      if (turn !== this.turn) return;
      if (!opened) this.refused++;
      this.lose(turn);
    };
    this.socket = socket;
  }

  async poll(turn) {
    for (const asked of this.waiting.values()) this.post(asked);
    for (;;) {
      const answer = await fetch(`/w?line=${this.line}`);
      if (turn !== this.turn) return;
      if (!answer.ok) throw new Error(String(answer.status));
      for (const frame of await answer.json()) this.take(frame);
    }
  }

  take(frame) {
    if (frame.hello) {
      this.failed = 0;
      this.changed("open");
    }
    if (frame.re && !frame.over) this.waiting.delete(frame.re);
    if (frame.over && frame.over !== "busy") this.stop();
    this.hear(frame);
  }

  post(asked) {
    const text = JSON.stringify(asked);
    const turn = this.turn;
    if (this.socket) this.socket.readyState === 1 && this.socket.send(text); // else it is sent once it is open
    else if (this.line) {
      fetch(`/w?line=${this.line}`, { method: "POST", body: text })
        .then((answer) => answer.ok || Promise.reject())
        .catch(() => turn === this.turn && this.lose(turn)); // it is asked again once there is a new connection
    }
  }

  lose(turn) {
    this.socket = null;
    this.line = "";
    this.changed("lost");
    const pause = Math.min(SLOWEST, 250 * 1.5 ** this.failed++);
    this.timer = setTimeout(() => turn === this.turn && this.open(), pause * (0.5 + Math.random() / 2));
  }

  /** End the connection for good. */
  stop() {
    this.turn++;
    this.waiting.clear();
    this.socket?.close();
    this.socket = null;
    this.line = "";
  }
}
