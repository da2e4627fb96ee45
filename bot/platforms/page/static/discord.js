// Discord: a handshake with the client.

const READY = 1500; // ms: after a reload the client may not say that it is ready
const CONSENT = 120000; // ms for the person to agree

/** Let so many ms pass. @param {number} ms @returns {Promise<any>} */
export const pause = (ms) => new Promise((done) => setTimeout(done, ms));

export class Discord {
  /** @param {URLSearchParams} query of the address */
  constructor(query) {
    this.open = query.has("frame_id") && query.has("instance_id");
    this.start = query.get("custom_id");
    this.frame = query.get("frame_id");
    this.application = location.hostname.split(".")[0];
    this.isReady = () => {};
    /** @type {Promise<void>} */
    this.ready = new Promise((done) => (this.isReady = done));
    /** @type {Map<string, (said: any) => void>} */
    this.pending = new Map();
  }

  /** Begin the handshake. */
  greet() {
    addEventListener("message", ({ origin, data }) => {
      if (!/^https:\/\/(ptb\.|canary\.)?discord\.com$/.test(origin) || !Array.isArray(data) || data[0] !== 1) return;
      const { cmd, evt, nonce, data: said } = data[1] ?? {};
      if (cmd === "DISPATCH" && evt === "READY") this.isReady();
      this.pending.get(nonce)?.(evt === "ERROR" ? null : said);
      this.pending.delete(nonce);
    });
    this.tell([0, { v: 1, encoding: "json", client_id: this.application, frame_id: this.frame }]);
  }

  /** @param {unknown} message */
  tell(message) {
    (parent.opener ?? parent).postMessage(message, document.referrer ? new URL(document.referrer).origin : "*");
  }

  /** Have the person agree that the bot may know who they are: return the proof of it; null if they do not. */
  async authorized() {
    await Promise.race([this.ready, pause(READY)]);
    const nonce = crypto.randomUUID();
    const answer = new Promise((done) => this.pending.set(nonce, done));
    const args = { client_id: this.application, response_type: "code", state: "", prompt: "none", scope: ["identify"] };
    this.tell([1, { cmd: "AUTHORIZE", args, nonce }]);
    const code = (await Promise.race([answer, pause(CONSENT)]))?.code;
    return code ? { kind: "discord", proof: code } : null;
  }
}
