// The page: shows what the server says, and sends it what the reader does. It knows no game and no language: steps, boards and
// words come from the server. This is the entry; no other module does anything by itself.

/** @import { About } from "./frames.js" */
/** @import { Change, Effect, State } from "./state.js" */

import { pickButtons, toolButtons } from "./actions.js";
import { Board } from "./board.js";
import { drawCards, offered } from "./cards.js";
import { fill, focusBoard, make, paragraphs } from "./dom.js";
import { received } from "./frames.js";
import { Host, place } from "./host.js";
import { keyed } from "./keys.js";
import { learn } from "./looks.js";
import { drawMoves } from "./moves.js";
import { drawPlayers, tick } from "./players.js";
import { lineHere, stepped, wentTo } from "./replay.js";
import { chose, leftScene, picked, played, promptOf, tapped, tried, undone } from "./selection.js";
import { answered, change, connected, dismissed, flipped, helped, here, initial, moved, noticed, on, pressed, silenced, written } from "./state.js";
import { Wire, network } from "./wire.js";

const NOTED = 800; // ms without a key after which a note is stored

class App {
  /**
   * @param {Host} host
   * @param {HTMLElement} main
   * @param {Promise<PageBegun>} begun the answer to the first frame
   */
  constructor(host, main, begun) {
    this.host = host;
    this.main = main;
    this.state = initial(place(), host.silent);
    /** @type {Promise<PageBegun> | null} */
    this.begun = begun;
    /** @type {Map<string, About>} what the requests are about */
    this.asked = new Map();
    /** @type {number | undefined} */
    this.noting = undefined;
    this.cards = this.state.cards; // those that are drawn
    this.note = this.state.note; // likewise
    this.wire = new Wire(
      () => this.connect(),
      (frame) => this.hear(frame),
      (lost) => this.act(connected, lost),
      network(),
    );
    this.board = new Board(
      (square) => this.act(tapped, square),
      (key) => this.key(key),
    );
    this.parts = this.build();
  }

  start() {
    this.dress(this.host.theme());
    this.host.onTheme((theme) => {
      this.dress(theme);
      if (!this.state.loading) this.run({ ask: { do: "theme", text: theme } });
    });
    addEventListener("popstate", () => this.open());
    addEventListener("online", () => this.wire.open());
    setInterval(() => tick(this.parts.chairs, this.state, performance.now()), 1000);
    void this.wire.open();
  }

  /** @param {string} theme */
  dress(theme) {
    document.documentElement.dataset.theme = theme;
  }

  // --- Changes ----------------------------------------------------------------------------------------------------

  /**
   * Change the state, draw it, and do what follows.
   * @template {unknown[]} Arguments
   * @param {(state: State, ...more: Arguments) => Change} next
   * @param {Arguments} more
   */
  act(next, ...more) {
    this.apply(next(this.state, ...more));
  }

  /** @param {Change} change */
  apply({ state, effects }) {
    this.state = state;
    this.draw();
    for (const effect of effects) this.run(effect);
  }

  /** @param {Effect} effect */
  run(effect) {
    const { parts, state, host } = this;
    if (effect.ask) {
      const op = this.wire.ask({ seen: state.view?.r ?? 0, ...effect.ask });
      this.asked.set(op, { do: effect.ask.do, id: effect.id });
    }
    if (effect.say !== undefined) parts.live.textContent = effect.say;
    if (effect.alert !== undefined) parts.alert.textContent = effect.alert;
    if (effect.buzz) host.buzz();
    if (effect.typed) parts.typed.value = "";
    if (effect.focus === "note") parts.notes.open = true;
    if (effect.focus === "board") focusBoard();
    else if (effect.focus) parts[effect.focus].focus();
    if (effect.forget) host.forget();
    if (effect.remember) host.silent = state.silent;
    if (effect.go !== undefined) history.pushState(null, "", effect.go ? `/m/${effect.go}` : "/");
    if (effect.go !== undefined || effect.reload) this.open();
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
    const about = this.asked.get(frame.re ?? "");
    this.asked.delete(frame.re ?? "");
    this.act(received, frame, about, performance.now());
    if (frame.hello) document.documentElement.lang = frame.hello.language;
  }

  /** @param {string} key */
  key(key) {
    const next = keyed(this.state, key, performance.now());
    if (next) this.apply(next);
    return next !== null;
  }

  // --- What is seen -----------------------------------------------------------------------------------------------

  build() {
    const parts = {
      title: make("h1"),
      state: make("p", { class: "state", role: "status" }),
      status: make("div", { class: "status" }),
      picks: make("div", { class: "buttons" }),
      chairs: make("ul", { class: "chairs" }),
      said: make("div", { class: "said" }),
      buttons: make("div", { class: "buttons" }),
      cards: make("section", { class: "cards" }),
      typedLabel: make("label", { for: "typed" }),
      typed: make("input", { id: "typed", autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: "400" }),
      send: make("button"),
      tools: make("div", { class: "buttons tools" }),
      movesLabel: make("summary"),
      list: make("ol"),
      noteLabel: make("summary"),
      note: make("textarea", { id: "note", rows: "4", maxlength: "1000", oninput: () => this.noted(NOTED), onchange: () => this.noted(0) }),
      live: make("div", { class: "hidden", "aria-live": "polite" }),
      alert: make("div", { class: "hidden", role: "alert" }),
    };
    const form = make("form", { class: "typed", onsubmit: (event) => this.typed(event) }, parts.typedLabel, parts.typed, parts.send);
    const moves = make("details", { class: "log", ontoggle: () => this.drawMoves() }, parts.movesLabel, parts.list);
    const notes = make("details", { class: "notes" }, parts.noteLabel, parts.note);
    const { status, picks, chairs, said, buttons, cards, tools } = parts;
    const side = make("aside", {}, status, picks, chairs, said, buttons, cards, form, tools, moves, notes);
    side.addEventListener("keydown", ({ key }) => {
      if (key !== "Escape") return;
      if (cards.contains(document.activeElement)) this.act(dismissed);
      focusBoard();
    });
    const header = make("header", {}, parts.title, parts.state);
    const table = make("div", { class: "table" }, this.board.root, side);
    return { ...parts, form, moves, notes, all: [header, table, parts.live, parts.alert] };
  }

  draw() {
    const { parts, state, main } = this;
    const { words, look, scene, view, code } = state;
    document.body.classList.toggle("lost", state.lost);
    if (parts.state.textContent !== state.notice) parts.state.textContent = state.notice;
    if (state.loading) return;
    if (state.over) return this.drawEnd();
    if (!main.contains(parts.title)) main.replaceChildren(...parts.all);
    const [title = words.games, ...lines] = here(state)?.lines ?? [];
    main.classList.toggle("home", !code && !scene);
    parts.title.textContent = title;
    document.title = [view?.pick && "•", view?.lines[0] ?? words.games].filter(Boolean).join(" ");
    if (view) document.body.dataset.turns = String(view.turns);
    this.label();
    this.board.draw(state);
    parts.said.replaceChildren(...paragraphs(look ? [look.said] : lines));
    parts.status.replaceChildren(...paragraphs(scene || (picked(state)?.said && !look) ? [] : (view?.after ?? [])));
    const asks = look ? "" : promptOf(state);
    if (asks) parts.status.append(make("p", { class: "prompt" }, asks));
    drawPlayers(parts.chairs, state, performance.now());
    this.drawButtons();
    parts.form.hidden = !here(state)?.pick;
    parts.moves.hidden = !!scene || !state.log.length;
    this.drawMoves();
    parts.notes.hidden = state.note === null;
    if (state.note !== this.note && document.activeElement !== parts.note) parts.note.value = state.note ?? "";
    this.note = state.note;
    if (state.cards !== this.cards) this.drawCards();
  }

  label() {
    const { parts, state } = this;
    const { words } = state;
    if (parts.send.textContent === words.send) return;
    parts.cards.setAttribute("aria-label", words.answers);
    parts.typedLabel.textContent = words.typed;
    parts.send.textContent = words.send;
    parts.movesLabel.textContent = words.log;
    parts.noteLabel.textContent = words.note;
    parts.note.setAttribute("aria-label", words.note);
  }

  drawButtons() {
    const { parts, state } = this;
    const controls = {
      choose: (/** @type {PageStep} */ step) => this.act(chose, step),
      play: () => this.act(played),
      undo: () => this.act(undone),
      close: () => this.act(leftScene),
      step: (/** @type {number} */ by) => this.act(stepped, by),
      tryLine: () => this.act(tried, lineHere(this.state)),
      flip: () => this.act(flipped),
      share: () => this.share(),
      games: () => this.run({ go: "" }),
      help: () => this.act(helped),
    };
    fill(parts.picks, pickButtons(state, controls));
    fill(
      parts.buttons,
      offered(here(state), (data) => this.act(pressed, data)),
    );
    fill(parts.tools, toolButtons(state, controls));
  }

  drawMoves() {
    if (this.parts.moves.open) drawMoves(this.parts.list, this.state, (at) => this.act(wentTo, at));
  }

  drawCards() {
    this.cards = this.state.cards;
    drawCards(this.parts.cards, this.state, {
      press: (data) => this.act(pressed, data),
      dismiss: () => this.act(dismissed),
      games: () => this.open(),
      silence: () => this.act(silenced),
    });
  }

  drawEnd() {
    const { main, state } = this;
    const text = { match: state.words.missing, off: state.words.off }[state.over] ?? state.words.expired ?? main.dataset.expired;
    main.replaceChildren(make("h1", {}, document.title), make("p", { role: "alert" }, text ?? ""));
    if (state.seated && state.over !== "session") main.append(make("a", { href: "/" }, state.words.games));
  }

  // --- What the reader writes -------------------------------------------------------------------------------------

  /** Have the note stored, once nothing was typed for so many ms. @param {number} after */
  noted(after) {
    clearTimeout(this.noting);
    this.noting = setTimeout(() => this.act(written, this.parts.note.value), after);
  }

  /** @param {SubmitEvent} event */
  typed(event) {
    event.preventDefault();
    const text = this.parts.typed.value.trim();
    if (text) this.run({ ask: { do: "type", text, ...on(this.state) } });
  }

  async share() {
    const { words, view } = this.state;
    const address = view?.share ?? "";
    try {
      await navigator.clipboard.writeText(address);
      this.act((state) => change(noticed(state, words.copied).state, { say: words.copied }));
    } catch {
      this.act(answered, [{ lines: [address] }]);
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
