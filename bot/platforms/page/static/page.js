// The page: shows what the server says, and sends it what the reader does. It knows no game and no language: steps, boards and
// words come from the server. This is the entry; no other module does anything by itself.

/** @import { About } from "./frames.js" */
/** @import { Act, Change, Effect } from "./state.js" */

import { focusBoard } from "./dom.js";
import { received } from "./frames.js";
import { Host, place } from "./host.js";
import { learn } from "./looks.js";
import { ticked } from "./replay.js";
import { answered, change, connected, initial, moved } from "./state.js";
import { View } from "./view.js";
import { Wire, network } from "./wire.js";

class App {
  /**
   * @param {Host} host
   * @param {HTMLElement} main
   * @param {Promise<PageBegun>} begun the answer to the first frame
   */
  constructor(host, main, begun) {
    this.host = host;
    /** @type {Promise<PageBegun> | null} */
    this.begun = begun;
    this.state = initial(place(), host.on("silent"), host.on("sound"), host.sends);
    /** @type {Map<string, About>} what the requests are about */
    this.asked = new Map();
    /** @type {number | undefined} until the next position of a match that is played through */
    this.ticking = undefined;
    /** @type {Act} Changes the state, draws it, and does what follows. */
    this.act = (next, ...more) => this.apply(next(this.state, ...more));
    this.view = new View(main, this.state, this.act, (key) => this.key(key));
    const hear = (/** @type {PageFrame} */ frame) => this.hear(frame);
    this.wire = new Wire(() => this.connect(), hear, (lost) => this.act(connected, lost), network());
  }

  start() {
    this.dress(this.host.theme());
    this.host.onTheme((theme) => this.dress(theme));
    addEventListener("popstate", () => this.open());
    setInterval(() => this.view.tick(), 1000);
    void this.wire.open();
  }

  /** @param {string} theme */
  dress(theme) {
    document.documentElement.dataset.theme = theme;
    if (!this.state.loading) this.run({ ask: { do: "theme", text: theme } });
  }

  /** @param {Change} change */
  apply({ state, effects }) {
    this.state = state;
    this.view.draw(state);
    this.view.speech.say(effects.flatMap(({ say }) => say ?? []));
    this.view.speech.alert(effects.flatMap((effect) => effect.alert ?? []));
    for (const effect of effects) this.run(effect);
  }

  /** @param {Effect} effect */
  run(effect) {
    const { view, state, host } = this;
    if (effect.ask) this.ask(effect.ask, effect);
    if (effect.feel) host.feel(effect.feel);
    if (effect.sound && state.sound) view.panels?.play(effect.sound);
    if (effect.typed && view.panels) view.panels.typed.value = "";
    if (effect.focus === "board") focusBoard();
    else if (effect.focus) view.panels?.focus(effect.focus);
    if (effect.copy) void this.copy(effect.copy);
    if (effect.tick) {
      clearTimeout(this.ticking);
      this.ticking = setTimeout(() => this.act(ticked), effect.tick);
    }
    if (effect.send) host.send(effect.send);
    if (effect.forget) host.keep("");
    if (effect.remember) host.turn("silent", state.silent), host.turn("sound", state.sound);
    if (effect.go !== undefined) history.pushState(null, "", effect.go ? `/m/${effect.go}` : "/");
    if (effect.go !== undefined) this.open();
  }

  /** @param {Omit<PageRequest, "op">} what @param {{ id?: number, menu?: boolean }} [about] */
  ask(what, { id, menu } = {}) {
    const op = this.wire.ask({ seen: this.state.view?.r ?? 0, ...what });
    this.asked.set(op, { do: what.do, id, menu });
  }

  /** Show what the address names. */
  open() {
    this.act(moved, place());
    this.asked.clear();
    this.wire.stop();
    void this.wire.open();
  }

  /** Connect; the first time, it has begun already. */
  async connect() {
    const { code, view, flipped: flip } = this.state;
    const answer = this.begun ?? this.host.connect({ code, r: view?.r ?? 0, flip });
    this.begun = null;
    const begun = await answer;
    if (begun.code && begun.code !== code) {
      this.state = { ...this.state, code: begun.code };
      history.replaceState(null, "", `/m/${begun.code}${location.search}`);
    }
    return begun;
  }

  /** @param {PageFrame} frame */
  hear(frame) {
    if (frame.looks) learn(frame.looks);
    if (frame.hello) document.documentElement.lang = frame.hello.language;
    const about = this.asked.get(frame.re ?? "");
    this.asked.delete(frame.re ?? "");
    this.act(received, frame, about, performance.now());
  }

  /** A key on the board: returns whether it did something. @param {string} key @returns {boolean} */
  key(key) {
    const next = this.view.panels?.key(this.state, key);
    if (next) this.apply(next);
    return !!next;
  }

  /** @param {string} text */
  async copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      this.act((state) => change({ ...state, notice: state.words.copied }, { say: state.words.copied }));
    } catch {
      this.act(answered, [{ lines: [text] }]);
    }
  }
}

/** Start: the match is asked for at once, and shown once the page is parsed. */
function start() {
  const host = new Host();
  const begun = host.connect();
  begun.catch(() => {}); // it is asked for again
  host.greet();
  const go = () => new App(host, /** @type {HTMLElement} */ (document.querySelector("#page")), begun).start();
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", go);
  else go();
}

start();
