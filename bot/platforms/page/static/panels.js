// What the first board does without, and what is loaded after it: the list of matches, a new game, the menu, the letter keys, the
// moves, the bar of earlier positions, answers and offers, the field of a typed move, the note.

/** @import { Sound } from "./sound.js" */
/** @import { Act, Look, State } from "./state.js" */

import { miniature, passOn } from "./cards.js";
import { typed, written } from "./doing.js";
import { make, paragraphs } from "./dom.js";
import { keyed } from "./keys.js";
import { LobbyView } from "./lobby.js";
import { Menu } from "./menu.js";
import { Moves } from "./moves.js";
import { NewGame } from "./newgame.js";
import { lookButtons, ReplayBar } from "./replaybar.js";
import { Sheet } from "./sheet.js";
import { play } from "./sound.js";
import { atHome } from "./state.js";

const NOTED = 800; // ms without a key after which a note is stored

/** Load the style of the panels. */
export function styled() {
  const href = new URL("panels.css", import.meta.url).href;
  return new Promise((onload, onerror) => document.head.append(make("link", { rel: "stylesheet", href, onload, onerror })));
}

export class Panels {
  /** @param {Act} act @param {HTMLElement} replay where the bar of earlier positions is @param {HTMLElement} menu where the menu is */
  constructor(act, replay, menu) {
    this.act = act;
    this.written = /** @type {string | null} */ (null); // the note that was drawn
    this.link = ""; // that is shown to be passed on
    /** @type {number | undefined} */
    this.noting = undefined;
    this.invite = make("div", { class: "invite", hidden: true });
    this.menu = new Menu(act, menu);
    this.lobby = new LobbyView(act);
    this.newGame = new NewGame(act);
    this.typed = make("input", { id: "typed", autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: "400" });
    this.typedLabel = make("label", { for: "typed" });
    this.send = make("button");
    this.form = make("form", { class: "typed", onsubmit: (event) => this.submit(event) }, this.typedLabel, this.typed, this.send);
    this.sheet = new Sheet(act, this.form);
    this.moves = new Moves(act);
    this.replay = new ReplayBar(act, replay);
    const writes = { oninput: () => this.write(NOTED), onchange: () => this.write(0) };
    this.note = make("textarea", { id: "note", rows: "4", maxlength: "500", ...writes });
    this.noteLabel = make("summary");
    this.notes = make("details", { class: "notes" }, this.noteLabel, this.note);
  }

  /** Have the moves at the top of an element, or over the bar of earlier positions. @param {HTMLElement | null} side */
  place(side) {
    (side ?? this.replay.root).prepend(this.moves.root);
    this.moves.current = 0; // it is scrolled to anew
  }

  /** @param {State} state */
  draw(state) {
    this.label(state);
    this.menu.draw(state);
    this.lobby.root.hidden = !atHome(state);
    this.lobby.draw(state);
    this.newGame.draw(state);
    this.drawInvite(state);
    this.form.hidden = !state.typing;
    this.sheet.draw(state);
    this.moves.root.hidden = !!state.scene || !state.log.length;
    this.moves.draw(state);
    this.replay.draw(state);
    this.notes.hidden = state.note === null;
    if (state.note !== this.written && document.activeElement !== this.note) this.note.value = state.note ?? "";
    this.written = state.note;
  }

  /** Write the words, which come with the first answer. @param {State} state */
  label({ words }) {
    if (this.send.textContent === words.send) return;
    this.typedLabel.textContent = words.typed;
    this.send.textContent = words.send;
    this.noteLabel.textContent = words.note;
    this.note.setAttribute("aria-label", words.note);
  }

  /** The board and the link of a match that waits for players, or for a stranger how to come in. @param {State} state */
  drawInvite(state) {
    const { invite = "", joins = [] } = state.view ?? {};
    const links = [invite, ...joins.map(({ url }) => url), state.view?.small && state.code].filter(Boolean).join(" ");
    this.invite.hidden = !links || !!state.scene;
    if (links === this.link) return;
    this.link = links;
    const ways = joins.map(({ label, url }) => make("a", { class: "good", href: url }, label));
    const card = () => make("div", { class: "card" }, ...paragraphs([state.words["send-link"]]), passOn(invite, state, this.act));
    const small = state.view?.small ? [make("div", { class: "small" }, miniature(state.view.small))] : [];
    this.invite.replaceChildren(...small, invite ? card() : make("div", { class: "buttons" }, ...ways));
  }

  /** Put the keyboard on a part. @param {"note" | "sheet" | "typed"} part */
  focus(part) {
    if (part === "note") this.notes.open = true;
    this[part].focus();
  }

  /** What a key on the board changes; null: nothing. @param {State} state @param {string} key */
  key(state, key) {
    return keyed(state, key, performance.now());
  }

  /** Return the buttons beside an earlier position. @param {State} state @param {Look} look */
  looking(state, look) {
    return lookButtons(state, look, this.act);
  }

  /** @param {Sound} sound */
  play(sound) {
    play(sound);
  }

  /** Have the note stored, once nothing was typed for so many ms. @param {number} after */
  write(after) {
    clearTimeout(this.noting);
    this.noting = setTimeout(() => this.act(written, this.note.value), after);
  }

  /** @param {SubmitEvent} event */
  submit(event) {
    event.preventDefault();
    const text = this.typed.value.trim();
    if (text) this.act(typed, text);
  }
}
