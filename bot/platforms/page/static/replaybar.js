// The bar of earlier positions: a step back and on, the match played through, and a slider with the marks of an analysis.

/** @import { IconName } from "./icons.js" */
/** @import { Act, Look, State } from "./state.js" */

import { seated } from "./actions.js";
import { button, make } from "./dom.js";
import { icon, iconButton } from "./icons.js";
import { autoplayed, markAt, PACES, placeOf, position, saidOf, stepped, tookBack, wentTo } from "./replay.js";
import { change, pressed } from "./state.js";

const SPEEDS = [["½×", "pace-slow"], ["1×", "pace-normal"], ["2×", "pace-fast"]];

/** The icons of the buttons, their words, and how far they step; 0: the match is played through. @type {[IconName, string, number][]} */
const STEPS = [
  ["first", "start", -Infinity],
  ["earlier", "earlier", -1],
  ["autoplay", "autoplay", 0],
  ["later", "later", 1],
  ["last", "now", Infinity],
];

/** Another speed. @param {State} state */
export function paced(state) {
  const pace = (state.pace + 1) % PACES.length;
  return change({ ...state, pace }, ...(state.auto ? [{ tick: PACES[pace] }] : []));
}

/** Return the button that says which earlier position is looked at, and leads back to the game. @param {State} state @param {Look} look @param {Act} act */
function banner(state, look, act) {
  const place = placeOf(state, look.at);
  const made = button("", () => act(stepped, Infinity), "banner");
  const told = make("span", {}, [place, markAt(state, look.at)?.text ?? look.said].join(". "));
  made.append(told, make("b", {}, state.words["to-game"]));
  made.setAttribute("aria-label", `${place}. ${state.words["to-game"]}`);
  return made;
}

/** Return the buttons beside an earlier position: back to the game, and what can be begun there. @param {State} state @param {Look} look @param {Act} act */
export function lookButtons(state, look, act) {
  const { words, view } = state;
  const from = () => button(words["play-from"], () => act(pressed, `~${look.at}~~`), "here");
  const back = () => button(words["back-here"], () => act(tookBack, look.at), "here");
  return [banner(state, look, act), ...(view?.end ? (state.seated ? [from()] : []) : seated(view) ? [back()] : [])];
}

export class ReplayBar {
  /** @param {Act} act @param {HTMLElement} root */
  constructor(act, root) {
    this.root = root;
    /** @type {PageMark[]} */
    this.drawn = []; // the marks that are drawn
    this.end = 0; // the number of entries of the log with which they are
    this.range = make("input", { type: "range", min: "0", oninput: () => act(wentTo, Number(this.range.value)) });
    this.marks = make("div", { class: "marks" });
    this.track = make("div", { class: "track" }, this.marks, this.range);
    this.steps = STEPS.map(([name, , by]) => iconButton(name, "", () => (by ? act(stepped, by) : act(autoplayed))));
    this.pace = button("", () => act(paced), "round");
    root.append(this.track, make("div", { class: "steps" }, ...this.steps, this.pace));
  }

  /** @param {State} state */
  draw(state) {
    const { words, log, look, auto } = state;
    if (this.root.hidden) return;
    const at = position(state);
    this.steps.forEach((step, index) => {
      const [, word, by] = STEPS[index];
      step.title = words[auto && !by ? "pause" : word];
      step.setAttribute("aria-label", step.title);
      if (by) step.setAttribute("aria-disabled", String(at === (by < 0 ? 0 : log.length)));
    });
    const autoplay = this.steps[2];
    autoplay.setAttribute("aria-disabled", String(!log.length));
    if (autoplay.classList.toggle("on", auto) !== !!autoplay.querySelector(".pause")) autoplay.replaceChildren(icon(auto ? "pause" : "autoplay"));
    this.pace.classList.toggle("unseen", !look);
    const [speed, word] = SPEEDS[state.pace];
    this.pace.textContent = speed;
    this.pace.setAttribute("aria-label", words[word]);
    this.range.max = String(log.length);
    this.range.value = String(at);
    this.range.setAttribute("aria-label", words.log);
    const said = look?.at === at ? saidOf(state, look) : [log[at - 1]?.text, markAt(state, at)?.text].filter(Boolean).join(". ");
    this.range.setAttribute("aria-valuetext", [placeOf(state, at), said].filter(Boolean).join(". "));
    this.drawMarks(state);
  }

  /** @param {State} state */
  drawMarks({ marks, log }) {
    if (marks === this.drawn && log.length === this.end) return;
    [this.drawn, this.end] = [marks, log.length];
    const made = marks.map(({ at, kind, text }) => {
      const mark = make("i", { class: kind, title: text });
      mark.style.setProperty("--at", String(at / log.length));
      return mark;
    });
    this.marks.replaceChildren(...made);
  }
}
