// Looking back: which position of the match is on the board, and the positions at hand, which come from the server as reels.

/** @import { Change, Look, State } from "./state.js" */

import { change, present } from "./state.js";

const REEL = 8; // positions that are asked for after the first one of a reel
const AHEAD = 3; // positions that are at hand before they are stepped to
const KEPT = 64; // positions that stay at hand
/** ms between two positions: slow, normal, fast */
export const PACES = [2400, 1200, 500];

/** After how many entries of the log the position is that is looked at, or is to be. @param {State} state */
export const position = (state) => state.wanted ?? state.look?.at ?? state.log.length;

/** The mark of an analysis at a position. @param {State} state @param {number} at */
export const markAt = (state, at) => state.marks.find((mark) => mark.at === at);

/** Which position it is, of how many, in words. @param {State} state @param {number} at */
export function placeOf({ words, log }, at) {
  return at ? (words.at ?? "").replace("{at}", String(at)).replace("{of}", String(log.length)) : words.start;
}

/** What happened last before the position that is looked at, and what an analysis says of it. @param {State} state @param {Look} look */
export const saidOf = (state, { at, said }) => [said, markAt(state, at)?.text].filter(Boolean).join(". ");

/** Positions asked for, where some are not at hand of which there is need soon. @param {State} state */
function fetched(state) {
  const { way, seen, log } = state;
  const soon = Array.from({ length: AHEAD + 1 }, (_, by) => position(state) + by * way);
  const first = soon.find((at) => at >= 0 && at < log.length && !seen[at]);
  if (state.reeling || first === undefined) return change(state);
  return change({ ...state, reeling: true }, { ask: { do: "look", text: `${first}:${Math.max(0, first + REEL * way)}` } });
}

/** A position on the board, once it is at hand. @param {State} state @param {number} at @returns {Change} */
function shown(state, at) {
  const look = state.seen[at];
  const { state: next, effects } = fetched(look ? { ...state, look, wanted: null } : { ...state, wanted: at });
  if (!look) return change(next, ...effects);
  const say = [placeOf(state, at), saidOf(state, look)].join(". ");
  return change(next, ...effects, { say }, ...(next.auto ? [{ tick: PACES[next.pace] }] : []));
}

/** @param {State} state @param {number} to @returns {Change} */
function jumped(state, to) {
  const at = Math.max(0, to);
  if (state.scene || !state.log.length) return change(state);
  if (at >= state.log.length) return change(present(state), { say: state.view?.after.join(" ") ?? "" });
  return shown({ ...state, way: at === 0 || at > position(state) ? 1 : -1 }, at);
}

/** The position after so many entries of the log. @param {State} state @param {number} at */
export const wentTo = (state, at) => jumped({ ...state, auto: false }, at);

/** A later position, or an earlier one; infinity is the present. @param {State} state @param {number} by */
export const stepped = (state, by) => wentTo(state, position(state) + by);

/** The server has said how positions look. @param {State} state @param {PageReel} reel */
export function reeled(state, { moments, ...board }) {
  const seen = { ...state.seen };
  for (const { at, said, squares } of moments) seen[at] = { at, said, board: { ...board, squares } };
  const near = (/** @type {string} */ at) => Math.abs(Number(at) - position(state));
  const far = Object.keys(seen).sort((one, other) => near(one) - near(other)).slice(KEPT);
  for (const at of far) delete seen[Number(at)];
  const next = { ...state, seen, reeling: false };
  return state.wanted === null ? change(next) : shown(next, state.wanted);
}

/** The server has not said how positions look. @param {State} state */
export const unreeled = (state) => change({ ...state, reeling: false, wanted: null, auto: false });

/** Boards look otherwise from now on: those at hand are of no more use. @param {State} state @returns {Change} */
export function turned(state) {
  const next = { ...state, seen: {} };
  return next.look ? shown(next, position(next)) : change(next);
}

/** The match played through, from its beginning or the position that is looked at; or no longer. @param {State} state */
export function autoplayed(state) {
  if (state.auto || !state.log.length) return paused(state);
  const auto = { ...state, auto: true };
  return state.look ? ticked(auto) : jumped(auto, 0);
}

/** The match no longer played through. @param {State} state */
export const paused = (state) => change({ ...state, auto: false });

/** The time of a position is over, while the match is played through. @param {State} state @returns {Change} */
export const ticked = (state) => (state.auto && state.wanted === null ? jumped(state, position(state) + 1) : change(state));

/** Other moves are tried, beside the match, from the end of a line on. @param {State} state @param {string} line */
export const tried = (state, line) => change(state, { ask: { do: "try", text: line } });

/** Play is to go back to the turn after so many entries of the log. @param {State} state @param {number} at */
export const tookBack = (state, at) => change(present(state), { ask: { do: "takeback", text: String(at) } });
