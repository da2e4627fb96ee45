// How many actions of a turn are left, as dots beside a player.

/** @import { State } from "./state.js" */

import { make } from "./dom.js";
import { picked } from "./selection.js";
import { here } from "./state.js";

/** How many actions a player has left, without those that the reader has picked. @param {State} state @param {PageChair} chair */
export function actionsLeft(state, chair) {
  const now = chair.mine && !state.scene && here(state)?.pick ? picked(state) : null;
  return Math.max(0, (chair.actions_left ?? 0) - (now ? now.at.split(";").length - 1 : 0));
}

/** Return the dots; none where a turn is one action. @param {State} state @param {PageChair} chair */
export function pips(state, chair) {
  const left = actionsLeft(state, chair);
  const dots = Array.from({ length: chair.actions ?? 0 }, (_, at) => make("i", { class: at < left ? "left" : "" }));
  return dots.length ? [make("span", { class: "pips", "aria-hidden": "true" }, ...dots)] : []; // the status says it in words
}
