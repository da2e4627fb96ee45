// The action bar under the board: what is to be done, and how a half-made move goes on.

/** @import { Act, State } from "./state.js" */

import { button } from "./dom.js";
import { iconButton } from "./icons.js";
import { choices, chose, picked, played, undoable, undone } from "./selection.js";
import { answered, pickable, preparing, pressed } from "./state.js";

/** Whether the reader plays. @param {PageView | null} view */
export const seated = (view) => view?.chairs?.some((chair) => chair.mine);

/** Return the buttons of a half-made move, or of what can follow a match. @param {State} state @param {Act} act */
export function pickButtons(state, act) {
  const { words, taps, scene, view, story } = state;
  if (view?.end && !scene) {
    if (seated(view)) return offered(view.buttons?.filter(({ end }) => end), act);
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
