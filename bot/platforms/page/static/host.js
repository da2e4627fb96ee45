// Where the page is open: in Telegram, in Discord, or in a browser of its own. Each proves in its way who reads, and has its
// colours.

/** @import { Feel } from "./state.js" */

import { Discord, pause } from "./discord.js";
import { Telegram } from "./telegram.js";

const SESSION = "klop.session";
const TRIES = 6; // of a proof that Discord's proxy signs
const ANSWERED = 5000; // ms for an answer
const PROVED = 10000; // ms for one to a proof, about which a host may have to be asked
const SILENT = 1500; // ms after which the reader is told that there is no answer yet
const SIGNED = 5000; // ms between tries: the proxy signs anew now and then

/** What Telegram is told, and the ms of a device's buzz and of the pauses. @type {Record<Feel, [object, number[]]>} */
const FELT = {
  pick: [{ type: "selection_change" }, [8]],
  move: [{ type: "impact", impact_style: "light" }, [14]],
  good: [{ type: "notification", notification_type: "success" }, [20, 60, 20]],
  bad: [{ type: "notification", notification_type: "error" }, [40]],
};

/** Return the match that the address names. */
export const place = () => /^\/m\/([a-z0-9]{6})$/.exec(location.pathname)?.[1] ?? "";

/** Say what is wrong, as long as nothing else is shown: the page has the words, the server has not said any yet. @param {string} why */
function explain(why) {
  /** @type {HTMLElement | null} */
  const line = document.querySelector("#trouble");
  if (line) line.textContent = line.dataset[why] ?? "";
}

export class Host {
  constructor() {
    const hash = new URLSearchParams(location.hash.slice(1));
    this.query = new URLSearchParams(location.search);
    this.telegram = new Telegram(hash);
    this.discord = new Discord(this.query);
    // The fragment holds proofs of identity: it is read once.
    if (location.hash) history.replaceState(null, "", location.pathname + location.search);
    this.session = "";
    this.tries = TRIES;
    const link = hash.get("link") ?? "";
    /** @type {PageProof | null} it goes with each first frame until it is used up */
    this.proof = null;
    if (link) this.proof = { kind: "link", proof: link };
    else if (this.telegram.data) this.proof = { kind: "telegram", proof: this.telegram.data };
    else if (this.discord.open && !this.bearer()) this.proof = { kind: "discord" };
    else if (this.query.has("guest") && !this.bearer()) this.proof = { kind: "guest", proof: `${place()}-${this.query.get("k")}` };
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.contrast = matchMedia("(prefers-contrast: more)");
  }

  /** Tell the host that the page is there. */
  greet() {
    if (this.telegram.open) this.telegram.greet();
    if (this.discord.open) this.discord.greet();
  }

  /**
   * Connect: return the line and what is to be seen first.
   * @param {PageConnect} more
   * @returns {Promise<PageBegun>}
   */
  async connect(more = {}) {
    const { proof } = this;
    const asked = { ...this.aimed(), bearer: this.bearer(), theme: this.theme(), locale: navigator.language ?? "", ...more };
    const body = JSON.stringify(proof ? { ...asked, bearer: "", proof } : asked);
    const silent = setTimeout(() => explain("wait"), SILENT);
    const answer = await fetch("/w", { method: "POST", body, signal: AbortSignal.timeout(proof ? PROVED : ANSWERED) })
      .catch((failed) => {
        explain("offline");
        throw failed;
      })
      .finally(() => clearTimeout(silent));
    const { ok, status } = answer;
    if (proof && (status === 401 || status === 403)) {
      explain("unproven");
      if (status === 401) this.proof = await this.discord.authorized().catch(() => null);
      else if (proof.kind === "discord" && !proof.proof && --this.tries) await pause(SIGNED);
      else this.proof = null;
      return this.connect(more);
    }
    if (!ok) {
      explain(status === 429 ? "crowd" : "down");
      throw Object.assign(new Error(String(status)), { wait: 1000 * Number(answer.headers.get("Retry-After")) || 0 });
    }
    const begun = await answer.json();
    if (begun.bearer) {
      this.keep(begun.bearer);
      this.proof = null;
    }
    return begun;
  }

  /** The link of a host names a match, and perhaps a spectator's key; whether the reader may see it, the server decides. */
  aimed() {
    const start = this.telegram.start ?? this.discord.start ?? "";
    const [, code = "", key = ""] = /^([a-z0-9]{6})(?:-(.*))?$/.exec(start) ?? [];
    return place() ? { code: place(), key: this.query.get("k") ?? "" } : { code, key };
  }

  /** Return what proves who reads; empty: nothing does. */
  bearer() {
    return this.session || stored(this.store, SESSION);
  }

  /** Keep a session; empty: forget it. @param {string} bearer */
  keep(bearer) {
    this.session = bearer;
    store(this.store, SESSION, bearer);
  }

  /** A session in a frame ends with the frame; one in a browser is kept for other tabs. */
  get store() {
    return this.telegram.open || this.discord.open ? "sessionStorage" : "localStorage";
  }

  /** Whether the reader turned something on, in this browser. @param {Switch} what */
  on(what) {
    return stored("localStorage", `klop.${what}`) === "on";
  }

  /** Keep that. @param {Switch} what @param {boolean} on */
  turn(what, on) {
    store("localStorage", `klop.${what}`, on ? "on" : "");
  }

  /** Return the theme of boards that fits the reader's screen. */
  theme() {
    if (this.contrast.matches) return "contrast";
    const [red, green, blue] = Array.from(this.telegram.tint.matchAll(/[0-9a-f]{2}/gi), ([part]) => parseInt(part, 16));
    if (blue !== undefined) return 0.3 * red + 0.59 * green + 0.11 * blue < 128 ? "dark" : "light";
    return this.discord.open || this.dark.matches ? "dark" : "light";
  }

  /** Call back with the theme when it changes. @param {(theme: string) => void} changed */
  onTheme(changed) {
    this.telegram.tinted = () => changed(this.theme());
    for (const media of [this.dark, this.contrast]) media.addEventListener("change", () => changed(this.theme()));
  }

  /** Whether a link can be passed on to people. */
  get sends() {
    return this.telegram.open || (!this.discord.open && !!navigator.share);
  }

  /** Have the reader choose to whom a link goes. @param {string} url */
  send(url) {
    const path_full = `/share/url?url=${encodeURIComponent(url)}`;
    if (this.telegram.open) this.telegram.say("web_app_open_tg_link", { path_full });
    else navigator.share({ url }).catch(() => {}); // they have changed their mind
  }

  /** A short buzz, where the device has one. @param {Feel} feel */
  feel(feel) {
    const [told, pattern] = FELT[feel];
    if (this.telegram.open) this.telegram.say("web_app_trigger_haptic_feedback", told);
    else navigator.vibrate?.(pattern);
  }
}

/** @typedef {"silent" | "sound"} Switch no letter keys, or sounds */

/** @typedef {"localStorage" | "sessionStorage"} Store */

/** Return what a browser keeps; some keep nothing. @param {Store} where @param {string} name */
function stored(where, name) {
  try {
    return self[where].getItem(name) ?? "";
  } catch {
    return "";
  }
}

/** Have a browser keep something. @param {Store} where @param {string} name @param {string} text */
function store(where, name, text) {
  try {
    self[where].setItem(name, text);
  } catch {
    // it keeps nothing: the session ends with the page
  }
}
