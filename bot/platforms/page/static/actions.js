// The action bar under the board: what is to be done, and how a half-made move goes on.

/** @import { Act, Look, State } from "./state.js" */

import { button, make } from "./dom.js";
import { iconButton } from "./icons.js";
import { markAt, placeOf, stepped, tookBack } from "./replay.js";
import { choices, chose, picked, played, undoable, undone } from "./selection.js";
import { answered, pickable, preparing, pressed } from "./state.js";

/** Return the button that says which earlier position is looked at, and leads back to the game. @param {State} state @param {Look} look @param {Act} act */
function banner(state, look, act) {
  const place = placeOf(state, look.at);
  const made = button("", () => act(stepped, Infinity), "banner");
  const told = make("span", {}, [place, markAt(state, look.at)?.text ?? look.said].join(". "));
  made.append(told, make("b", {}, state.words["to-game"]));
  made.setAttribute("aria-label", `${place}. ${state.words["to-game"]}`);
  return made;
}

/** Return the buttons of a half-made move, or of what can follow a match. @param {State} state @param {Act} act */
export function pickButtons(state, act) {
  const { words, taps, look, scene, view } = state;
  if (look) {
    const plays = !scene && !view?.end && view?.chairs.some((chair) => chair.mine);
    const back = plays ? [button(words["back-here"], () => act(tookBack, look.at), "here")] : [];
    const from = view?.end && state.seated ? [button(words["play-from"], () => act(pressed, `~${look.at}~~`), "here")] : [];
    return [banner(state, look, act), ...back, ...from];
  }
  if (view?.end && !scene) {
    const { story } = state;
    if (view.chairs.some((chair) => chair.mine)) return offered(view.buttons?.filter(({ end }) => end), act);
    return story ? [button(words.story, () => act(answered, [story]))] : [];
  }
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
