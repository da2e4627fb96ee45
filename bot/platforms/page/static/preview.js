// Which board is drawn: with what is picked, and the piece over several squares that is being touched.

/** @import { DrawnBoard, State } from "./state.js" */

import { put, redrawn } from "./pieces.js";
import { choices, picked } from "./selection.js";
import { here, pickable } from "./state.js";

/** The squares of a piece over several squares that every choice still has. @param {State} state */
export function ghost(state) {
  if (!state.taps.length) return [];
  const [first, ...others] = choices(state);
  return first?.squares.filter((at) => others.every((step) => step.squares.includes(at))) ?? [];
}

/** The board of a state: the position that is looked at, what is picked, or what is there. @param {State} state @returns {DrawnBoard | undefined} */
export function boardOf(state) {
  const [shown, pick] = [here(state), pickable(state)];
  const board = state.look?.board ?? picked(state)?.board ?? shown?.board;
  const looks = pick?.puts?.cells;
  const squares = state.look ? [] : ghost(state);
  if (!board || !looks || !squares.length) return board;
  const faded = (pick?.fades ?? []).map((at) => /** @type {const} */ ([at, { faded: true }]));
  return redrawn(board, new Map([...faded, ...put(looks, squares, board.files.length)]));
}
