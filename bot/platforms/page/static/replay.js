// Looking back: which position of the match is on the board.

/** @import { State } from "./state.js" */

import { change } from "./state.js";

/** After how many entries of the log the position is that is looked at. @param {State} state */
export const position = (state) => state.look?.at ?? state.log.length;

/** The position after so many entries of the log. @param {State} state @param {number} at */
export function wentTo(state, at) {
  if (at < state.log.length) return change(state, { ask: { do: "look", text: String(Math.max(0, at)) } });
  return change({ ...state, look: null }, { say: state.view?.after.join(" ") ?? "" });
}

/** A later position, or an earlier one; infinity is the present. @param {State} state @param {number} by */
export const stepped = (state, by) => wentTo(state, position(state) + by);

/** The server has said how a position looks. @param {State} state @param {PageLook} look */
export const looked = (state, look) => change({ ...state, look }, { say: look.said });

/** Other moves are tried, beside the match, from the end of a line on. @param {State} state @param {string} line */
export const tried = (state, line) => change(state, { ask: { do: "try", text: line } });

/** Other moves are tried from this position on. @param {State} state */
export const triedHere = (state) => tried(state, `~${position(state)}~`);
