// The list of moves, each of which leads to its position.

/** @import { Act, State } from "./state.js" */

import { make } from "./dom.js";
import { swatch } from "./looks.js";
import { position, wentTo } from "./replay.js";

/** Draw the list; only what differs is written. @param {HTMLElement} list @param {State} state @param {Act} act */
export function drawMoves(list, state, act) {
  const at = position(state);
  state.log.forEach(({ seat, text }, index) => {
    if (!list.children[index]) list.append(make("li", {}, make("button", { type: "button", onclick: () => act(wentTo, index + 1) })));
    const shown = /** @type {HTMLElement} */ (list.children[index].firstElementChild);
    const look = state.view?.chairs[seat]?.look;
    if (shown.dataset.text !== text) shown.replaceChildren(...(look ? [swatch(look)] : []), text);
    shown.dataset.text = text;
    shown.classList.toggle("current", index + 1 === at);
  });
  while (list.children.length > state.log.length) list.lastElementChild?.remove();
}
