// The connection to the server: a WebSocket, or long polls where that does not open. It connects again by itself, and asks
// again what was not answered: the server carries out an operation once.

const SLOWEST = 2000; // ms between attempts
const PATIENCE = 4000; // ms for a WebSocket to open

/**
 * What a connection needs of the browser.
 * @typedef {object} Network
 * @property {((line: string) => WebSocket) | null} socket null where there are none
 * @property {(line: string, body?: string) => Promise<Response>} fetch
 * @property {(then: () => void, ms: number) => number} wait
 * @property {(timer: number | undefined) => void} forget
 * @property {() => number} luck from 0 to 1
 * @property {() => string} name returns a name for a request, never the same twice
 */

/** The network of the browser. @returns {Network} */
export function network() {
  const address = (/** @type {string} */ line) => `/w?line=${line}`;
  const url = (/** @type {string} */ line) => new URL(address(line), location.href.replace(/^http/, "ws"));
  return {
    socket: self.WebSocket ? (line) => new WebSocket(url(line)) : null,
    fetch: (line, body) => fetch(address(line), body === undefined ? {} : { method: "POST", body }),
    wait: (then, ms) => self.setTimeout(then, ms),
    forget: (timer) => clearTimeout(timer),
    luck: Math.random,
    name: () => [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(36).padStart(2, "0")).join(""),
  };
}

export class Wire {
  /**
   * @param {() => Promise<PageBegun>} connect returns a line, and the first frames
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
    /** @type {number | undefined} */
    this.timer = undefined;
  }

  /** Connect, or connect anew. */
  async open() {
    const turn = ++this.turn;
    this.net.forget(this.timer);
    this.close();
    try {
      const begun = await this.connect();
      if (turn !== this.turn) return;
      this.line = begun.line;
      for (const frame of begun.frames) this.take(frame);
      if (turn !== this.turn) return;
      if (this.refused >= 2 || !this.net.socket) await this.poll(turn);
      else this.listen(turn, this.net.socket(this.line));
    } catch {
      if (turn === this.turn) this.lose(turn);
    }
  }

  /** Ask for something that is answered: returns the name of the request. @param {Omit<PageRequest, "op">} what */
  ask(what) {
    const asked = { op: this.net.name(), ...what };
    this.waiting.set(asked.op, asked);
    this.post(asked);
    return asked.op;
  }

  /** @param {number} turn @param {WebSocket} socket */
  listen(turn, socket) {
    let opened = false;
    const slow = this.net.wait(() => socket.close(), PATIENCE);
    socket.onopen = () => {
      opened = true;
      this.net.forget(slow);
      for (const asked of this.waiting.values()) this.post(asked);
    };
    socket.onmessage = (event) => turn === this.turn && this.take(JSON.parse(event.data));
    socket.onclose = () => {
      this.net.forget(slow);
      if (turn !== this.turn) return;
      if (!opened) this.refused++;
      this.lose(turn);
    };
    this.socket = socket;
  }

  /** @param {number} turn */
  async poll(turn) {
    for (const asked of this.waiting.values()) this.post(asked);
    for (;;) {
      const answer = await this.net.fetch(this.line);
      if (turn !== this.turn) return;
      if (!answer.ok) throw new Error(String(answer.status));
      for (const frame of await answer.json()) this.take(frame);
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
    this.hear(frame);
  }

  /** @param {PageRequest} asked */
  post(asked) {
    const text = JSON.stringify(asked);
    const turn = this.turn;
    if (this.socket) this.socket.readyState === 1 && this.socket.send(text); // else it is sent once it is open
    else if (this.line) {
      this.net
        .fetch(this.line, text)
        .then((answer) => answer.ok || Promise.reject())
        .catch(() => turn === this.turn && this.lose(turn)); // it is asked again once there is a new connection
    }
  }

  /** @param {number} turn */
  lose(turn) {
    this.socket = null;
    this.line = "";
    this.changed(true);
    const pause = Math.min(SLOWEST, 250 * 1.5 ** this.failed++);
    this.timer = this.net.wait(() => turn === this.turn && void this.open(), pause * (0.5 + this.net.luck() / 2));
  }

  close() {
    this.socket?.close();
    this.socket = null;
    this.line = "";
  }

  /** End the connection for good. */
  stop() {
    this.turn++;
    this.waiting.clear();
    this.close();
  }
}
