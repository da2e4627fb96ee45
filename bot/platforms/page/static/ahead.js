// A move that is prepared while others think: it waits on the board, and is played once it is the reader's turn, or dropped.

/** @import { State } from "./state.js" */

import { change, preparing } from "./state.js";

/** The squares of the prepared move, as long as it waits. @param {State} state */
export const waiting = (state) => (preparing(state) && !state.look ? (state.view?.ahead?.squares ?? []) : []);

/** Whether others think, and nothing is picked. @param {State} state */
export const resting = (state) => preparing(state) && !state.stack.length && !state.taps.length;

/** Whether a move is prepared and nothing else is picked. @param {State} state */
export const prepared = (state) => resting(state) && !!waiting(state).length;

/** The prepared move is taken back. @param {State} state */
export const unprepared = (state) => change({ ...state, sending: true }, { ask: { do: "ahead", text: "" } });

/** What there is to know about it: that it waits, or could not be played. @param {State} state */
export const aheadSaid = (state) => (state.scene || state.stack.length || state.taps.length ? "" : (state.view?.ahead?.said ?? ""));
