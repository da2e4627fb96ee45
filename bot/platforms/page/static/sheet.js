// What stands above the action bar until it is put away: answers, offers, the field of a typed move.

/** @import { Act, State } from "./state.js" */

import { offered } from "./actions.js";
import { drawCards } from "./cards.js";
import { sheeted } from "./doing.js";
import { fill, focusBoard, make, paragraphs } from "./dom.js";
import { iconButton } from "./icons.js";
import { atHome, dismissed, offers } from "./state.js";

const SWIPED = 30; // pixels downwards after which a press is a swipe

export class Sheet {
  /** @param {Act} act @param {HTMLElement[]} more what else stands there */
  constructor(act, ...more) {
    this.act = act;
    this.cards = /** @type {object | null} */ (null); // the answers that are drawn
    this.begun = 0; // where a press began
    this.closer = iconButton("close", "", () => this.close());
    this.grip = make("div", { class: "grip" }, this.closer);
    this.lines = make("div");
    this.buttons = make("div", { class: "buttons" });
    this.answers = make("section", { class: "cards" });
    this.root = make("div", { class: "sheet" }, this.grip, this.answers, this.lines, this.buttons, ...more);
    this.grip.addEventListener("pointerdown", (event) => {
      this.begun = event.clientY;
      if (event.target === this.grip) this.grip.setPointerCapture(event.pointerId);
    });
    this.grip.addEventListener("pointerup", ({ clientY }) => clientY - this.begun > SWIPED && this.close());
    this.root.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.close();
    });
  }

  /** Put it away; the keyboard goes to the board. */
  close() {
    const had = this.root.contains(document.activeElement);
    this.act(dismissed);
    if (had) focusBoard();
  }

  /** Put the keyboard on a story, else on the first thing that can be done. */
  focus() {
    /** @type {HTMLElement | null} */ (this.root.querySelector(":scope .story, :scope .card button, :scope .buttons button"))?.focus();
  }

  /** @param {State} state */
  draw(state) {
    const { words, cards } = state;
    if (atHome(state)) return;
    const { lines, buttons } = offers(state);
    const others = cards.shown.length || state.typing ? [] : buttons;
    this.root.hidden = !sheeted(state);
    this.closer.setAttribute("aria-label", words.close);
    this.answers.hidden = !cards.shown.length;
    this.answers.setAttribute("aria-label", words.answers);
    if (cards !== this.cards) drawCards(this.answers, state, this.act);
    this.cards = cards;
    this.lines.replaceChildren(...paragraphs(others.length ? lines : []));
    fill(this.buttons, offered(others, this.act));
  }
}
