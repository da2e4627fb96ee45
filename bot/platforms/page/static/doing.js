// What the reader does beside the board: by the menu, in the sheet and the notes, with links.

/** @import { State } from "./state.js" */

import { position, tried } from "./replay.js";
import { and, answered, atHome, change, offers, on } from "./state.js";

/** Whether something stands above the action bar. @param {State} state */
export function sheeted(state) {
  const { text } = offers(state);
  return state.typing || (!!text && text !== state.hushed) || (!atHome(state) && !!state.cards.shown.length);
}

/** The menu opened: the rest of it is asked for. @param {State} state */
export const menued = (state) =>
  change(state, ...(state.view?.menu && !state.scene ? [{ ask: { do: /** @type {const} */ ("press"), text: state.view.menu }, menu: true }] : []));

/** The note. @param {State} state */
export const noted = (state) => change(state, { focus: "note" });

/** The field of a typed move. @param {State} state */
export const typing = (state) => change({ ...state, typing: true }, { focus: "typed" });

/** What the keys do. @param {State} state */
export const helped = (state) => answered(state, [{ lines: state.words.keys.split("\n"), keys: true }]);

/** The letter keys turned off, or on. @param {State} state */
export const silenced = (state) => and(change({ ...state, silent: !state.silent }, { remember: true }), helped);

/** Sounds turned on, or off. @param {State} state */
export const sounded = (state) =>
  change({ ...state, sound: !state.sound }, { remember: true }, ...(state.sound ? [] : [{ sound: /** @type {const} */ ("move") }]));

/** The board from the other side. @param {State} state */
export const flipped = (state) => change({ ...state, flipped: !state.flipped }, { ask: { do: "flip" } });

/** The address for spectators copied. @param {State} state */
export const shared = (state) => change(state, { copy: state.view?.share ?? "" });

/** A link copied. @param {State} state @param {string} link */
export const copied = (state, link) => change(state, { copy: link });

/** A link passed on. @param {State} state @param {string} link */
export const sent = (state, link) => change(state, { send: link });

/** A move typed. @param {State} state @param {string} text */
export const typed = (state, text) => change(state, { ask: { do: "type", text, ...on(state) } });

/** A note written. @param {State} state @param {string} note */
export const written = (state, note) => change({ ...state, note }, { ask: { do: "note", text: note } });

/** The rules of the match. @param {State} state */
export const ruled = (state) => change(state, { ask: { do: "rules" } });

/** Other moves are tried from this position on. @param {State} state */
export const triedHere = (state) => tried(state, `~${position(state)}~`);
