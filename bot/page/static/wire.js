// The connection to the server: a WebSocket, or long polls where that does not open. It connects again by itself, and asks
// again what was not answered: the server carries out an operation once.

const SLOWEST = 5000; // ms between attempts
const PATIENCE = 4000; // ms for a WebSocket to open

export class Wire {
  /**
   * @param {() => object} first returns the first frame of a connection
   * @param {(frame: object) => void} hear is given what the server says
   * @param {(state: "open" | "lost") => void} changed
   */
  constructor(first, hear, changed) {
    this.first = first;
    this.hear = hear;
    this.changed = changed;
    this.waiting = new Map();
    this.failed = 0;
    this.polls = false;
    this.turn = 0;
  }

  /** Connect, or connect anew. */
  open() {
    const turn = ++this.turn;
    clearTimeout(this.timer);
    this.socket?.close();
    this.socket = null;
    this.line = "";
    if (this.polls || !self.WebSocket) this.poll(turn);
    else this.listen(turn);
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
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/w`);
    let opened = false;
    const slow = setTimeout(() => socket.close(), PATIENCE);
    socket.onopen = () => {
      opened = true;
      clearTimeout(slow);
      socket.send(JSON.stringify(this.first()));
    };
    socket.onmessage = (event) => turn === this.turn && this.take(JSON.parse(event.data));
    socket.onclose = () => {
      clearTimeout(slow);
      if (turn !== this.turn) return;
      if (!opened && ++this.refused >= 2) this.polls = true;
      this.lose(turn);
    };
    this.refused ??= 0;
    this.socket = socket;
  }

  async poll(turn) {
    try {
      const begun = await fetch("/w", { method: "POST", body: JSON.stringify(this.first()) });
      if (!begun.ok) throw new Error(String(begun.status));
      const { line } = await begun.json();
      if (turn !== this.turn) return;
      this.line = line;
      for (;;) {
        const answer = await fetch(`/w?line=${line}`);
        if (turn !== this.turn) return;
        if (!answer.ok) throw new Error(String(answer.status));
        for (const frame of await answer.json()) this.take(frame);
      }
    } catch {
      if (turn === this.turn) this.lose(turn);
    }
  }

  take(frame) {
    if (frame.hello) {
      this.failed = 0;
      this.changed("open");
      for (const asked of this.waiting.values()) this.post(asked);
    }
    if (frame.re && !frame.over) this.waiting.delete(frame.re);
    if (frame.over && frame.over !== "busy") this.stop();
    this.hear(frame);
  }

  post(asked) {
    const text = JSON.stringify(asked);
    if (this.socket?.readyState === 1) this.socket.send(text);
    else if (this.line) fetch(`/w?line=${this.line}`, { method: "POST", body: text }).catch(() => {});
  }

  lose(turn) {
    this.socket = null;
    this.line = "";
    this.changed("lost");
    const pause = Math.min(SLOWEST, 250 * 2 ** this.failed++);
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
