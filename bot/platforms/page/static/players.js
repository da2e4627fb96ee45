// Who sits at the match: name, piece, clock; and how many watch.

/** @import { State } from "./state.js" */

import { make } from "./dom.js";
import { swatch } from "./looks.js";
import { pips } from "./pips.js";

const DAY = 86400; // s

/** What a clock shows at a time in ms; empty: there is none. @param {State} state @param {PageChair} chair @param {number} now */
export function clock(state, chair, now) {
  if (chair.left === undefined) return "";
  const left = Math.max(0, chair.left - (chair.runs ? (now - state.clocked) / 1000 : 0));
  if (chair.clock && left > DAY) return chair.clock;
  const two = (/** @type {number} */ part) => String(Math.floor(part)).padStart(2, "0");
  const rest = `${two(left % 60)}`;
  return left >= 3600 ? `${Math.floor(left / 3600)}:${two((left % 3600) / 60)}:${rest}` : `${Math.floor(left / 60)}:${rest}`;
}

/** Draw the players' bars. @param {HTMLElement} box @param {State} state @param {number} now */
export function drawPlayers(box, state, now) {
  box.hidden = !state.view || !!state.scene;
  const lines = (state.view?.chairs ?? []).map((chair) => {
    const line = make("li", { class: chair.turn ? "turn" : "", "aria-current": chair.turn ? "true" : false });
    if (chair.look) line.append(swatch(chair.look));
    line.append(make("span", { class: chair.mine ? "mine" : "" }, chair.text), ...pips(state, chair));
    if (chair.left !== undefined) line.append(make("time", { class: "clock" }, clock(state, chair, now)));
    return line;
  });
  if (state.watching) lines.push(make("li", { class: "watching" }, `${state.words.watching}: ${state.watching}`));
  box.replaceChildren(...lines);
}

/** Let the clocks go on. @param {HTMLElement} box @param {State} state @param {number} now */
export function tick(box, state, now) {
  const clocked = (state.view?.chairs ?? []).filter((chair) => chair.left !== undefined);
  if (document.hidden || !clocked.some((chair) => chair.runs)) return;
  box.querySelectorAll(".clock").forEach((shown, at) => (shown.textContent = clock(state, clocked[at], now)));
}
