// Who sits at the match: name, piece, clock; and how many watch.

/** @import { State } from "./state.js" */

import { make } from "./dom.js";
import { swatch } from "./looks.js";
import { pips } from "./pips.js";

const DAY = 86400; // s

/**
 * What a clock shows at a time in ms; empty: there is none.
 * @param {number} told when it was told, in ms
 * @param {PageClock | undefined} time
 * @param {number} now
 */
export function clock(told, time, now) {
  if (!time) return "";
  const gone = (now - told) / 1000;
  const rests = time.rests ?? [];
  const resting = rests.find(({ start, end }) => start <= gone && gone < end);
  if (resting) return resting.text;
  const rested = rests.reduce((sum, { start, end }) => sum + Math.max(0, Math.min(end, gone) - start), 0);
  const left = Math.max(0, time.left - (time.runs ? gone - rested : 0));
  if (time.text && left > DAY) return time.text;
  const parts = [left / 3600, (left / 60) % 60, left % 60].map((part) => String(Math.floor(part)));
  if (left < 3600) parts.shift();
  return parts.map((part, at) => (at ? part.padStart(2, "0") : part)).join(":");
}

/** The players above the board, and those below it: one's own, or the first. @param {State} state @returns {[PageChair[], PageChair[]]} */
export function sides(state) {
  const chairs = state.view?.chairs ?? [];
  const own = chairs.find((chair) => chair.mine) ?? chairs[0];
  const rest = chairs.filter((chair) => chair !== own);
  const near = own ? [own] : [];
  return state.flipped && rest.length === 1 ? [near, rest] : [rest, near];
}

/** @param {State} state @param {PageChair} chair @param {number} now */
function drawChair(state, chair, now) {
  const { text, name = text, side, note, turn, out } = chair;
  const score = state.look ? "" : chair.score; // it is that of the present
  const line = make("li", { class: [turn && "turn", out && "out"].filter(Boolean).join(" "), "aria-current": !!turn && "true" });
  if (chair.look) line.append(swatch(chair.look));
  line.append(make("span", { class: "hidden" }, score && !text.includes(score) ? `${text}, ${score}` : text));
  line.append(make("span", { class: "name", dir: "auto", title: text, "aria-hidden": "true" }, name));
  line.append(make("small", { "aria-hidden": "true" }, [side, note].filter(Boolean).join(", ")));
  line.append(...pips(state, chair));
  if (score) line.append(make("span", { class: "score", "aria-hidden": "true" }, score));
  if (chair.clock) line.append(make("time", { class: "clock" }, clock(state.clocked, chair.clock, now)));
  return line;
}

/** Have the keyboard scroll a row of many, and show once who is on turn. @param {HTMLElement} box @param {string} turn */
function showTurn(box, turn) {
  box.tabIndex = 0;
  const line = /** @type {HTMLElement} */ (box.children[Number(turn)]);
  if (line && box.dataset.turn !== turn) box.scrollLeft = line.offsetLeft - (box.clientWidth - line.offsetWidth) / 2;
  box.dataset.turn = turn;
}

/** Draw the players' bars. @param {HTMLElement} above @param {HTMLElement} below @param {State} state @param {number} now */
export function drawPlayers(above, below, state, now) {
  const boxes = [above, below];
  sides(state).forEach((chairs, at) => {
    boxes[at].hidden = !chairs.length || !!state.scene;
    boxes[at].setAttribute("aria-label", state.words.players);
    boxes[at].classList.toggle("many", chairs.length > 1);
    boxes[at].replaceChildren(...chairs.map((chair) => drawChair(state, chair, now)));
    if (chairs.length > 1) showTurn(boxes[at], String(chairs.findIndex((chair) => chair.turn)));
  });
}

/** Let the clocks go on. @param {HTMLElement} above @param {HTMLElement} below @param {State} state @param {number} now */
export function tick(above, below, state, now) {
  const chairs = sides(state);
  if (document.hidden || !chairs.flat().some((chair) => chair.clock?.runs)) return;
  [above, below].forEach((box, at) => {
    const times = chairs[at].flatMap((chair) => chair.clock ?? []);
    box.querySelectorAll(".clock").forEach((shown, index) => (shown.textContent = clock(state.clocked, times[index], now)));
  });
}
