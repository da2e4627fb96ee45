// The buttons under the board: what can be picked without a square, what the server offers, and the tools of the page.

/** @import { State } from "./state.js" */

import { button } from "./dom.js";
import { choices, picked, undoable } from "./selection.js";
import { here } from "./state.js";

/**
 * What the buttons do.
 * @typedef {object} Controls
 * @property {(step: PageStep) => void} choose
 * @property {() => void} play
 * @property {() => void} undo
 * @property {() => void} close
 * @property {(by: number) => void} step
 * @property {() => void} tryLine
 * @property {() => void} flip
 * @property {() => void} share
 * @property {() => void} games
 * @property {() => void} help
 */

/** Return the buttons of a half-made move. @param {State} state @param {Controls} controls */
export function pickButtons(state, controls) {
  if (state.look) return [];
  const { words, taps, sending } = state;
  const now = picked(state);
  const pick = here(state)?.pick;
  const named = (/** @type {PageStep} */ { picks, squares }) =>
    picks === "nothing" || !squares.length || (taps.length > 1 && squares.length > 1);
  const steps = sending ? [] : choices(state).filter(named);
  return [
    ...(now?.plies && pick?.gathers && !pick.at_once ? [button(words.play, controls.play, "good")] : []),
    ...steps.map((step) => button(step.label ?? step.path, () => controls.choose(step))),
    ...(undoable(state) && !sending ? [button(words.back, controls.undo)] : []),
  ];
}

/** Return the tools of the page. @param {State} state @param {Controls} controls */
export function toolButtons(state, controls) {
  const { words, view, look, log } = state;
  const help = button(words.help, controls.help);
  if (state.scene) return [button(words.close, controls.close), help];
  return [
    ...(log.length && look?.at !== 0 ? [button(`◂ ${words.earlier}`, () => controls.step(-1))] : []),
    ...(look ? [button(`${words.later} ▸`, () => controls.step(1)), button(words.now, () => controls.step(Infinity), "good")] : []),
    ...(view?.tries ? [button(words["what-if"], controls.tryLine)] : []),
    ...(view?.board ? [button(words.flip, controls.flip)] : []),
    ...(view?.share ? [button(words.share, controls.share)] : []),
    ...(state.seated ? [button(words.games, controls.games)] : []),
    help,
  ];
}
