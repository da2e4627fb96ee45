// The action bar under the board: what is to be done, and how a half-made move goes on; and what is in its menu.

/** @import { Act, State } from "./state.js" */

import { button } from "./dom.js";
import { iconButton } from "./icons.js";
import { stepped, triedHere } from "./replay.js";
import { choices, chose, picked, played, undoable, undone } from "./selection.js";
import { flipped, helped, here, noted, offers, pressed, shared, sounded, typing, went } from "./state.js";

/** Return the buttons of a half-made move. @param {State} state @param {Act} act */
export function pickButtons(state, act) {
  if (state.look || state.sending) return [];
  const { words, taps } = state;
  const now = picked(state);
  const pick = here(state)?.pick;
  const named = (/** @type {PageStep} */ { picks, squares }) =>
    picks === "nothing" || !squares.length || (taps.length > 1 && squares.length > 1);
  return [
    ...(undoable(state) ? [iconButton("undo", words.back, () => act(undone))] : []),
    ...choices(state).filter(named).map((step) => button(step.label ?? step.path, () => act(chose, step), "wide")),
    ...(now?.plies && pick?.gathers && !pick.at_once ? [button(words.play, () => act(played), "wide good")] : []),
  ];
}

/** Return the buttons that lead to earlier positions and back. @param {State} state @param {Act} act */
export function replayButtons({ words, log, look, scene }, act) {
  if (scene || !log.length) return [];
  return [
    ...(look?.at === 0 ? [] : [button(`◂ ${words.earlier}`, () => act(stepped, -1))]),
    ...(look ? [button(`${words.later} ▸`, () => act(stepped, 1)), button(words.now, () => act(stepped, Infinity))] : []),
  ];
}

/** Return the buttons that the server offers. @param {PageButton[] | undefined} buttons @param {Act} act */
export const offered = (buttons, act) => (buttons ?? []).map(({ label, data, style }) => button(label, () => act(pressed, data), style));

/** Return what is in the menu. @param {State} state @param {Act} act */
export function menuItems(state, act) {
  const { words, view, scene } = state;
  const shown = here(state);
  return [
    ...(state.hushed ? offered(offers(state).buttons, act) : []),
    ...(shown?.pick ? [button(words.type, () => act(typing))] : []),
    ...(view?.board && !scene ? [button(words.flip, () => act(flipped))] : []),
    ...(view?.board && !scene ? [button(words[state.sound ? "sound-off" : "sound-on"], () => act(sounded))] : []),
    ...(view?.tries && !scene ? [button(words["what-if"], () => act(triedHere))] : []),
    ...(state.note === null || scene ? [] : [button(words.note, () => act(noted))]),
    ...(view?.share && !scene ? [button(words.share, () => act(shared))] : []),
    ...(scene ? [] : offered(state.menu, act)),
    ...(state.seated ? [button(words.games, () => act(went, ""))] : []),
    button(words.help, () => act(helped)),
  ];
}
