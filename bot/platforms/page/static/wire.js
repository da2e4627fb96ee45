// The connection to the server: a WebSocket, or long polls where that does not open. It connects again by itself, and asks
// again what was not answered: the server carries out an operation once. A connection that is silent is taken for dead.

const SLOWEST = 2000; // ms between attempts
const OPENING = 4000; // ms for a WebSocket to open
const ANSWER = 5000; // ms for an answer, or for a sign that the server is at it
const IDLE = 4000; // ms without a frame after which a page that is seen checks its connection
const BEAT = 25000; // ms within which a frame comes: the server sends an empty one every 20 s
const NEEDLESS = ["flip", "theme", "check"]; // once there is a new connection: what the page says when it connects

export class Wire {
  /**
   * @param {() => Promise<object>} connect returns a line, and the first frames; an error may say how many ms to `wait`
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
    this.line = "";
    const seen = () => document.hidden || this.check();
    document.addEventListener("visibilitychange", seen);
    addEventListener("focus", seen);
    addEventListener("online", seen);
    addEventListener("offline", () => this.line && this.lose());
  }

  /** Connect, or connect anew. */
  async open() {
    this.drop();
    const turn = this.turn;
    for (const [op, asked] of this.waiting) if (NEEDLESS.includes(asked.do)) this.waiting.delete(op);
    try {
      const begun = await this.connect();
      if (turn !== this.turn) return;
      this.line = begun.line;
      for (const frame of begun.frames) if (turn === this.turn) this.take(frame);
      if (turn !== this.turn) return;
      if (this.refused >= 2 || !self.WebSocket) await this.poll(turn);
      else this.listen(turn);
    } catch (failed) {
      if (turn === this.turn) this.lose(failed?.wait);
    }
  }

  /** Ask for something that is answered: returns the name of the request. */
  ask(what) {
    const op = [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(36).padStart(2, "0")).join("");
    const asked = { op, ...what };
    this.waiting.set(op, asked);
    this.post(asked);
    if (this.waiting.size === 1) this.watch();
    return op;
  }

  /** Check at once whether the connection is alive: the page is seen again, or its network is back. */
  check() {
    if (this.line) this.waiting.size || this.ask({ do: "check" });
    else if (this.timer && !this.told) this.open();
  }

  listen(turn) {
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/w?line=${this.line}`);
    let opened = false;
    this.slow = setTimeout(() => socket.close(), OPENING);
    socket.onopen = () => {
      opened = true;
      clearTimeout(this.slow);
      if (turn !== this.turn) return;
      for (const asked of this.waiting.values()) this.post(asked);
      this.watch();
    };
    socket.onmessage = (event) => turn === this.turn && this.take(JSON.parse(event.data));
    socket.onclose = () => {
      if (turn !== this.turn) return;
      if (!opened) this.refused++;
      this.lose();
    };
    this.socket = socket;
  }

  async poll(turn) {
    for (const asked of this.waiting.values()) this.post(asked);
    for (;;) {
      const answer = await fetch(`/w?line=${this.line}`, { signal: this.cut.signal });
      if (!answer.ok) throw new Error(String(answer.status));
      for (const frame of await answer.json()) if (turn === this.turn) this.take(frame);
      if (turn !== this.turn) return;
    }
  }

  take(frame) {
    if (frame.hello) {
      this.failed = 0;
      this.changed("open");
    }
    if (frame.re && !frame.over) this.waiting.delete(frame.re);
    if (frame.over && frame.over !== "busy") this.stop();
    else this.watch();
    this.hear(frame);
  }

  /** Wait for the next frame; without one, the connection is lost. */
  watch() {
    clearTimeout(this.silent);
    if (!this.line) return;
    const lost = () => this.lose();
    const idle = () => {
      if (document.hidden) this.silent = setTimeout(lost, BEAT - IDLE);
      else this.check();
    };
    this.silent = this.waiting.size ? setTimeout(lost, ANSWER) : setTimeout(idle, IDLE);
  }

  post(asked) {
    const text = JSON.stringify(asked);
    const turn = this.turn;
    if (this.socket) this.socket.readyState === 1 && this.socket.send(text); // else it is sent once it is open
    else if (this.line) {
      fetch(`/w?line=${this.line}`, { method: "POST", body: text, signal: this.cut.signal })
        .then((answer) => answer.ok || Promise.reject())
        .catch(() => turn === this.turn && this.lose()); // it is asked again once there is a new connection
    }
  }

  /** Connect anew soon, but not before the server wants it; pages that are lost together come back one by one. */
  lose(wait = 0) {
    this.drop();
    this.changed("lost");
    const pause = Math.min(SLOWEST, 250 * 1.5 ** this.failed++);
    this.told = wait > 0;
    this.timer = setTimeout(() => this.open(), wait ? wait * (1 + Math.random() / 2) : pause * (0.5 + Math.random() / 2));
  }

  /** Leave the connection, whatever state it is in. */
  drop() {
    this.turn++;
    for (const timer of [this.timer, this.silent, this.slow]) clearTimeout(timer);
    this.timer = 0;
    this.cut?.abort();
    this.cut = new AbortController();
    this.socket?.close();
    this.socket = null;
    this.line = "";
  }

  /** End the connection for good. */
  stop() {
    this.drop();
    this.waiting.clear();
  }
}
