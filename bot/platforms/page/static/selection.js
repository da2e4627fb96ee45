// What is picked on the board: a half-made move, step by step, which the server then plays.

/** @import { Change, Picked, State } from "./state.js" */

import { prepared, resting, unprepared, waiting } from "./ahead.js";
import { placed } from "./pieces.js";
import { paused, tried } from "./replay.js";
import { and, change, cleared, dismissed, here, on, pickable, preparing, present, squareNames } from "./state.js";

/** A half-made move, as the server says it. @param {PagePick} pick @returns {Picked} */
const halfMade = ({ at, node, board, said = "", plies = false }) =>
  ({ id: 0, at, node: node ?? null, squares: [], held: [], board: board ?? null, said, plies, whole: false, early: null });

/** What is picked so far; null where there is nothing to pick. @param {State} state @returns {Picked | null} */
export function picked(state) {
  const pick = pickable(state);
  return state.stack.at(-1) ?? (pick ? halfMade(pick) : null);
}

/** Whether the squares of a step are touched one by one. @param {PageNode | null | undefined} node */
export const several = (node) => !!node?.steps.some((step) => step.picks === "cells" && step.squares.length > 1);

/** The steps that fit what is touched. @param {State} state @returns {PageStep[]} */
export function choices(state) {
  const node = picked(state)?.node;
  if (!node || !several(node)) return node?.steps ?? [];
  return node.steps.filter((step) => step.squares.length && state.taps.every((square) => step.squares.includes(square)));
}

/** What is to be picked, in words; in brief without what is picked so far. @param {State} state */
export function promptOf(state, brief = false) {
  const { said = "", node } = picked(state) ?? {};
  if (state.sending) return state.words.moving;
  if (resting(state)) return "";
  return brief && node?.prompt ? node.prompt : [said, node?.prompt].filter(Boolean).join(" — ");
}

/** What is picked, as it is said. @param {State} state @param {string} what */
const told = ({ words }, what) => (what ? words.chosen.replace("{what}", what) : "");

/** Why a tap does nothing. @param {State} state */
function hint(state) {
  return change(state, { say: promptOf(state) || state.view?.after.join(" ") || state.words.nothing });
}

/** A square is tapped. @param {State} state @param {number} square @returns {Change} */
export function tapped(state, square) {
  if (state.look) return state.auto ? paused(state) : change(present(state));
  const now = picked(state);
  if (now?.early) return change({ ...state, stack: [...state.stack.slice(0, -1), { ...now, early: [...now.early, square] }] });
  if (prepared(state) && waiting(state).includes(square)) return unprepared(state);
  if (!now?.node || state.sending) return hint(state);
  const buzzed = change(state, { feel: "pick" });
  if (several(now.node)) return and(buzzed, touched, square);
  const step = now.node.steps.find((each) => each.picks !== "nothing" && each.squares.length === 1 && each.squares[0] === square);
  if (step) return and(buzzed, chose, step);
  if (now.squares.at(-1) === square) return and(buzzed, undone);
  const other = now.held.length && before(state)?.node?.steps.find((each) => moves(each) && each.squares[0] === square);
  if (!other) return and(buzzed, hint);
  return and(change({ ...state, stack: state.stack.slice(0, -1) }, ...buzzed.effects), chose, other);
}

/** What was picked one step before. @param {State} state */
const before = (state) => picked({ ...state, stack: state.stack.slice(0, -1) });

/** Whether a step takes up a piece, to be put elsewhere. @param {PageStep} step */
const moves = ({ picks, squares, after }) => picks === "piece" && squares.length === 1 && !!after;

/** The squares of the pieces that can be moved: of the one that is picked, and of others in its place. @param {State} state */
export function movable(state) {
  const now = picked(state);
  const steps = [now, now?.held.length ? before(state) : null].flatMap((each) => each?.node?.steps ?? []);
  return [...(now?.held ?? []), ...steps.filter(moves).map(({ squares }) => squares[0])];
}

/** A square of a step that covers several is touched, or no longer. @param {State} state @param {number} square @returns {Change} */
function touched(state, square) {
  if (state.taps.includes(square)) return saying({ ...state, taps: state.taps.filter((each) => each !== square) });
  let next = { ...state, taps: [...state.taps, square] };
  let fits = choices(next);
  if (!fits.length) {
    next = { ...state, taps: [square] };
    fits = choices(next);
  }
  if (!fits.length) return hint({ ...state, taps: [] });
  return fits.length === 1 ? chose(next, fits[0]) : saying(next);
}

/** What is touched, or what to touch. @param {State} state */
function saying(state) {
  const names = squareNames(/** @type {PageBoard} */ (here(state)?.board));
  return change(state, { say: told(state, state.taps.map((at) => names[at]).join(" ")) || promptOf(state) });
}

/** @param {string} at @param {string} path */
const join = (at, path) => (at === "" || at.endsWith(";") ? at + path : `${at}/${path}`);

/** A step is chosen. @param {State} state @param {PageStep} step @returns {Change} */
export function chose(state, step) {
  const now = picked(state);
  if (!now) return change(state);
  const { path, picks, squares, label = path, after } = step;
  const node = typeof after === "object" ? after : null;
  const id = state.count + 1;
  const plays = !after && !pickable(state)?.gathers;
  const next = {
    ...now,
    id,
    at: join(now.at, path),
    node,
    squares: [...now.squares, ...squares],
    held: picks === "piece" && after ? squares : [],
    board: placed(now.board ?? here(state)?.board, pickable(state), now, step) ?? now.board,
    said: [now.plies && now.said, label].filter(Boolean).join(" "),
    whole: false,
    early: node || plays ? null : [],
  };
  const further = { ...state, count: id, taps: [], stack: [...state.stack, next] };
  if (plays) return played(further);
  if (node) return change(further, { say: [told(state, label), node.prompt].join(" ") });
  return change(further, { ask: { do: "pick", text: next.at, ...on(state) }, id });
}

/**
 * The server has said of an entry of the stack how the board then looks, and what can be picked next.
 * @param {State} state
 * @param {PagePick} pick
 * @param {number} [id]
 * @returns {Change}
 */
export function extended(state, pick, id) {
  const at = state.stack.findIndex((each) => each.id === id);
  if (at < 0) return change(state);
  const asked = state.stack[at];
  const whole = !!pick.plies && pick.at.endsWith(";");
  const { squares, held } = asked;
  const entry = { ...halfMade(pick), id: asked.id, squares: whole ? [] : squares, held, said: pick.said || asked.said, whole };
  // One step back takes back the whole ply.
  const kept = whole && asked.at !== pick.at ? state.stack.slice(0, at).findLastIndex((each) => each.whole) + 1 : at;
  const stack = [...state.stack.slice(0, kept), entry, ...state.stack.slice(at + 1)];
  const say = [pick.said || told(state, asked.said), pick.node?.prompt].filter(Boolean).join(" ");
  let next = change({ ...state, stack }, ...(asked.node ? [] : [{ say }])); // else it was said at the tap
  for (const square of asked.early ?? []) next = and(next, tapped, square);
  const plays = !pick.node && pickable(state)?.at_once && next.state.stack.at(-1)?.id === asked.id;
  return plays ? and(next, played) : next;
}

/**
 * The position has changed: what of a selection is still legal stays picked, if something can be picked at all.
 * @param {State} state
 * @param {number} seen the revision in which it was picked
 * @returns {Change}
 */
export function reconsidered(state, seen) {
  const now = state.stack.at(-1);
  const changed = present(state);
  if (!pickable(state)) return change(cleared(state));
  if (!now) return change(choices(changed).length ? changed : cleared(state));
  const stack = [{ ...now, board: null, node: null, early: now.early ?? [], again: true }];
  if (now.early) return change({ ...changed, stack, taps: [] }); // the answer is under way
  const id = state.count + 1;
  const where = preparing(state) ? on(state) : { seen, ...on(state) };
  return change({ ...changed, count: id, stack: [{ ...stack[0], id }], taps: [] }, { ask: { do: "pick", text: now.at, ...where }, id });
}

/**
 * An entry of the stack is refused: taps no longer wait for it, and what was picked in an earlier position is left.
 * @param {State} state
 * @param {number} [id]
 * @returns {State}
 */
export const unanswered = (state, id) => ({
  ...state,
  stack: state.stack.filter((each) => each.id !== id || !each.again).map((each) => (each.id === id ? { ...each, early: null } : each)),
});

/** One step back. @param {State} state @returns {Change} */
export function undone(state) {
  let next = change(state);
  if (state.taps.length) next = change({ ...state, taps: state.taps.slice(0, -1) });
  else if (state.stack.length) next = change({ ...state, stack: state.stack.slice(0, -1) });
  else if (state.scene?.back) next = tried(state, state.scene.back);
  else if (prepared(state)) return unprepared(state);
  return change(next.state, ...next.effects, { say: promptOf(next.state) });
}

/** Whether there is something to take back. @param {State} state */
export const undoable = (state) => !!(state.stack.length || state.taps.length || state.scene?.back) || prepared(state);

/** What is picked is played, or prepared. @param {State} state @returns {Change} */
export function played(state) {
  const now = state.stack.at(-1);
  if (!now || state.sending) return change(state);
  const how = preparing(state) ? { do: /** @type {const} */ ("ahead") } : { do: /** @type {const} */ ("play"), ...on(state) };
  return change({ ...state, sending: true }, { ask: { text: now.at, ...how } }, { feel: "move" });
}

/** A scene is left. @param {State} state @returns {Change} */
export const leftScene = (state) =>
  and(change({ ...cleared(state), scene: null }), dismissed);
