// The action bar under the board: what is to be done, and how a half-made move goes on; and what is in its menu.

/** @import { Act, Look, State } from "./state.js" */

import { button, make } from "./dom.js";
import { iconButton } from "./icons.js";
import { markAt, placeOf, stepped, triedHere } from "./replay.js";
import { choices, chose, picked, played, undoable, undone } from "./selection.js";
import { flipped, helped, here, noted, offers, pickable, preparing, pressed, shared, sounded, typing, went } from "./state.js";

/** Return the button that says which earlier position is looked at, and leads back to the game. @param {State} state @param {Look} look @param {Act} act */
function banner(state, look, act) {
  const place = placeOf(state, look.at);
  const made = button("", () => act(stepped, Infinity), "banner");
  const told = make("span", {}, [place, markAt(state, look.at)?.text ?? look.said].join(": "));
  made.append(told, make("b", {}, state.words["to-game"]));
  made.setAttribute("aria-label", `${place}. ${state.words["to-game"]}`);
  return made;
}

/** Return the buttons of a half-made move, or of what can follow a match. @param {State} state @param {Act} act */
export function pickButtons(state, act) {
  const { words, taps, look, scene, view } = state;
  if (look) return [banner(state, look, act)];
  if (view?.end && !scene) return offered(view.chairs.some((chair) => chair.mine) ? view.buttons?.filter(({ end }) => end) : [], act);
  if (state.sending) return [];
  const now = picked(state);
  const pick = pickable(state);
  const ahead = preparing(state);
  const named = (/** @type {PageStep} */ { picks, squares }) =>
    picks === "nothing" || !squares.length || (taps.length > 1 && squares.length > 1);
  return [
    ...(undoable(state) ? [iconButton("undo", words.back, () => act(undone))] : []),
    ...choices(state).filter(named).map((step) => button(step.label ?? step.path, () => act(chose, step), "wide")),
    ...(now?.plies && pick?.gathers && !pick.at_once && !(ahead && now.node)
      ? [button(ahead ? words.prepare : words.play, () => act(played), now.node ? "wide good" : "wide good whole")]
      : []),
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
