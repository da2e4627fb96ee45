// The connection to the server: a WebSocket, or long polls where that does not open. It connects again by itself, and asks
// again what was not answered: the server carries out an operation once. A connection that is silent is taken for dead.

const SLOWEST = 2000; // ms between attempts
const OPENING = 4000; // ms for a WebSocket to open
const ANSWER = 5000; // ms for an answer, or for a sign that the server is at it
const IDLE = 4000; // ms without a frame after which a page that is seen checks its connection
const BEAT = 25000; // ms within which a frame comes: the server sends an empty one every 20 s
const NEEDLESS = ["flip", "theme", "check"]; // once there is a new connection: what the page says when it connects

/**
 * What a connection needs of the browser.
 * @typedef {object} Network
 * @property {((line: string) => WebSocket) | null} socket null where there are none
 * @property {(line: string, cut: AbortSignal, body?: string) => Promise<Response>} fetch
 * @property {(then: () => void, ms: number) => number} wait
 * @property {(timer: number | undefined) => void} forget
 * @property {() => boolean} hidden whether the page is not seen
 * @property {(changed: (online: boolean) => void) => void} seen calls back when the page is seen again, or the network comes or goes
 * @property {() => number} luck from 0 to 1
 * @property {() => string} name returns a name for a request, never the same twice
 */

/** The network of the browser. @returns {Network} */
export function network() {
  const address = (/** @type {string} */ line) => `/w?line=${line}`;
  const url = (/** @type {string} */ line) => new URL(address(line), location.href.replace(/^http/, "ws"));
  return {
    socket: self.WebSocket ? (line) => new WebSocket(url(line)) : null,
    fetch: (line, signal, body) => fetch(address(line), body === undefined ? { signal } : { method: "POST", body, signal }),
    wait: (then, ms) => self.setTimeout(then, ms),
    forget: (timer) => clearTimeout(timer),
    hidden: () => document.hidden,
    seen: (changed) => {
      document.addEventListener("visibilitychange", () => document.hidden || changed(true));
      for (const name of ["focus", "online"]) addEventListener(name, () => changed(true));
      addEventListener("offline", () => changed(false));
    },
    luck: Math.random,
    name: () => [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(36).padStart(2, "0")).join(""),
  };
}

export class Wire {
  /**
   * @param {() => Promise<PageBegun>} connect returns a line, and the first frames; an error may say how many ms to `wait`
   * @param {(frame: PageFrame) => void} hear is given what the server says
   * @param {(lost: boolean) => void} changed
   * @param {Network} net
   */
  constructor(connect, hear, changed, net) {
    this.connect = connect;
    this.hear = hear;
    this.changed = changed;
    this.net = net;
    /** @type {Map<string, PageRequest>} requests that are not answered */
    this.waiting = new Map();
    this.line = "";
    /** @type {WebSocket | null} */
    this.socket = null;
    this.failed = 0; // attempts since the last answer
    this.refused = 0; // WebSockets that did not open
    this.turn = 0; // of the attempts to connect: what comes of an earlier one is not heard
    this.told = false; // whether the server said when to connect anew
    this.cut = new AbortController(); // ends the requests of this connection
    /** @type {number | undefined} until the next attempt to connect */
    this.timer = undefined;
    /** @type {number | undefined} until a silent connection is checked, or taken for dead */
    this.silent = undefined;
    /** @type {number | undefined} until a WebSocket has to be open */
    this.slow = undefined;
    net.seen((online) => {
      if (online) this.check();
      else if (this.line) this.lose();
    });
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
      if (this.refused >= 2 || !this.net.socket) await this.poll(turn);
      else this.listen(turn, this.net.socket(this.line));
    } catch (failed) {
      if (turn === this.turn) this.lose(/** @type {{ wait?: number }} */ (failed)?.wait);
    }
  }

  /** Ask for something that is answered: returns the name of the request. @param {Omit<PageRequest, "op">} what */
  ask(what) {
    const asked = { op: this.net.name(), ...what };
    this.waiting.set(asked.op, asked);
    this.post(asked);
    if (this.waiting.size === 1) this.watch();
    return asked.op;
  }

  /** Check at once whether the connection is alive: the page is seen again, or its network is back. */
  check() {
    if (this.line) this.waiting.size || this.ask({ do: "check" });
    else if (this.timer !== undefined && !this.told) void this.open();
  }

  /** @param {number} turn @param {WebSocket} socket */
  listen(turn, socket) {
    let opened = false;
    this.slow = this.net.wait(() => socket.close(), OPENING);
    socket.onopen = () => {
      opened = true;
      this.net.forget(this.slow);
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

  /** @param {number} turn */
  async poll(turn) {
    for (const asked of this.waiting.values()) this.post(asked);
    for (;;) {
      const answer = await this.net.fetch(this.line, this.cut.signal);
      if (!answer.ok) throw new Error(String(answer.status));
      for (const frame of await answer.json()) if (turn === this.turn) this.take(frame);
      if (turn !== this.turn) return;
    }
  }

  /** @param {PageFrame} frame */
  take(frame) {
    if (frame.hello) {
      this.failed = 0;
      this.changed(false);
    }
    if (frame.re && !frame.over) this.waiting.delete(frame.re);
    if (frame.over && frame.over !== "busy") this.stop();
    else this.watch();
    this.hear(frame);
  }

  /** Wait for the next frame; without one, the connection is lost. */
  watch() {
    this.net.forget(this.silent);
    if (!this.line) return;
    const lost = () => this.lose();
    const idle = () => {
      if (this.net.hidden()) this.silent = this.net.wait(lost, BEAT - IDLE);
      else this.check();
    };
    this.silent = this.waiting.size ? this.net.wait(lost, ANSWER) : this.net.wait(idle, IDLE);
  }

  /** @param {PageRequest} asked */
  post(asked) {
    const text = JSON.stringify(asked);
    const turn = this.turn;
    if (this.socket) this.socket.readyState === 1 && this.socket.send(text); // else it is sent once it is open
    else if (this.line) {
      this.net
        .fetch(this.line, this.cut.signal, text)
        .then((answer) => answer.ok || Promise.reject())
        .catch(() => turn === this.turn && this.lose()); // it is asked again once there is a new connection
    }
  }

  /** Connect anew soon, but not before the server wants it; pages that are lost together come back one by one. */
  lose(wait = 0) {
    this.drop();
    this.changed(true);
    const pause = Math.min(SLOWEST, 250 * 1.5 ** this.failed++);
    this.told = wait > 0;
    const half = this.net.luck() / 2;
    this.timer = this.net.wait(() => void this.open(), wait ? wait * (1 + half) : pause * (0.5 + half));
  }

  /** Leave the connection in any state. */
  drop() {
    this.turn++;
    for (const timer of [this.timer, this.silent, this.slow]) this.net.forget(timer);
    this.timer = undefined;
    this.cut.abort();
    this.cut = new AbortController();
    const { socket } = this;
    if (socket?.readyState) socket.close();
    else if (socket) socket.onopen = () => socket.close(); // closed before, it would be an error to the browser
    this.socket = null;
    this.line = "";
  }

  /** End the connection for good. */
  stop() {
    this.drop();
    this.waiting.clear();
  }
}
