// What the letter keys do on the board; docs/page.md lists them.

/** @import { Change, State } from "./state.js" */

import { flipped, helped, noted, sheeted, triedHere, typing } from "./doing.js";
import { clock } from "./players.js";
import { stepped } from "./replay.js";
import { choices, leftScene, undoable, undone } from "./selection.js";
import { change, dismissed, here, squareNames } from "./state.js";

/** @param {State} state @param {string} text */
const said = (state, text) => change(state, { say: text });

/** @param {State} state */
function movesFromHere(state) {
  const board = here(state)?.board;
  const squares = new Set(choices(state).flatMap((step) => step.squares));
  if (!board || !squares.size) return said(state, state.words.nothing);
  const names = squareNames(board);
  return said(state, `${state.words.moves}: ${[...squares].map((at) => names[at]).join(", ")}`);
}

/** @param {State} state @param {number} now */
function clocks(state, now) {
  const told = state.view?.chairs.map((chair) => [chair.text, clock(state.clocked, chair.clock, now)].filter(Boolean).join(", "));
  return said(state, `${told?.join("; ")}. ${state.view?.after.join(" ")}`);
}

/** @type {Record<string, (state: State, now: number) => Change>} */
const KEYS = {
  m: movesFromHere,
  l: (state) => said(state, state.view?.lines.slice(1).join(" ") ?? ""),
  c: clocks,
  o: (state) => said(state, state.view?.chairs.map((chair) => chair.text).join("; ") ?? ""),
  p: (state) => said(state, here(state)?.board?.alt ?? ""),
  f: flipped,
  t: typing,
  w: (state) => (state.view?.tries && !state.scene ? triedHere(state) : change(state)),
  n: (state) => (state.note === null ? change(state) : noted(state)),
  "?": helped,
  "[": (state) => stepped(state, -1),
  "]": (state) => stepped(state, 1),
};

/** @param {State} state */
function escaped(state) {
  if (state.look) return stepped(state, Infinity);
  if (undoable(state)) return undone(state);
  if (sheeted(state)) return dismissed(state);
  return state.scene ? leftScene(state) : change(state);
}

/** A key on the board, at a time in ms; null: it does nothing. @param {State} state @param {string} key @param {number} now */
export function keyed(state, key, now) {
  if (key === "Escape" || key === "Backspace") return escaped(state);
  if (!Object.hasOwn(KEYS, key) || state.silent || (!state.view && key !== "m" && key !== "p")) return null;
  return KEYS[key](state, now);
}
