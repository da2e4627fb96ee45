// The buttons under the board: what can be picked without a square, what the server offers, and the tools of the page.

/** @import { Act, State } from "./state.js" */

import { button } from "./dom.js";
import { stepped, triedHere } from "./replay.js";
import { choices, chose, leftScene, picked, played, undoable, undone } from "./selection.js";
import { flipped, helped, here, pressed, shared, sounded, went } from "./state.js";

/** Return the buttons of a half-made move. @param {State} state @param {Act} act */
export function pickButtons(state, act) {
  if (state.look) return [];
  const { words, taps, sending } = state;
  const now = picked(state);
  const pick = here(state)?.pick;
  const named = (/** @type {PageStep} */ { picks, squares }) =>
    picks === "nothing" || !squares.length || (taps.length > 1 && squares.length > 1);
  const steps = sending ? [] : choices(state).filter(named);
  return [
    ...(now?.plies && pick?.gathers && !pick.at_once ? [button(words.play, () => act(played), "good")] : []),
    ...steps.map((step) => button(step.label ?? step.path, () => act(chose, step))),
    ...(undoable(state) && !sending ? [button(words.back, () => act(undone))] : []),
  ];
}

/** Return the buttons that the server offers. @param {PageView | null} shown @param {Act} act */
export const offered = (shown, act) => (shown?.buttons ?? []).map(({ label, data, style }) => button(label, () => act(pressed, data), style));

/** Return the tools of the page. @param {State} state @param {Act} act */
export function toolButtons(state, act) {
  const { words, view, look, log } = state;
  const help = button(words.help, () => act(helped));
  if (state.scene) return [button(words.close, () => act(leftScene)), help];
  return [
    ...(log.length && look?.at !== 0 ? [button(`◂ ${words.earlier}`, () => act(stepped, -1))] : []),
    ...(look ? [button(`${words.later} ▸`, () => act(stepped, 1)), button(words.now, () => act(stepped, Infinity), "good")] : []),
    ...(view?.tries ? [button(words["what-if"], () => act(triedHere))] : []),
    ...(view?.board ? [button(words.flip, () => act(flipped))] : []),
    ...(view?.board ? [button(words[state.sound ? "sound-off" : "sound-on"], () => act(sounded))] : []),
    ...(view?.share ? [button(words.share, () => act(shared))] : []),
    ...(state.seated ? [button(words.games, () => act(went, ""))] : []),
    help,
  ];
}
