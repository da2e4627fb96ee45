// The end of a match, over the lower part of the board until it is put away: who won, why, and what can follow.

/** @import { Act, State } from "./state.js" */

import { offered } from "./actions.js";
import { button, fill, focusBoard, make, paragraphs } from "./dom.js";
import { iconButton } from "./icons.js";
import { autoplayed } from "./replay.js";
import { resulted } from "./state.js";

export class Ending {
  /** @param {Act} act */
  constructor(act) {
    this.act = act;
    this.title = make("h2");
    this.closer = iconButton("close", "", () => this.close());
    this.lines = make("div");
    this.buttons = make("div", { class: "buttons" });
    this.root = make("section", { class: "end" }, make("div", { class: "head" }, this.title, this.closer), this.lines, this.buttons);
    this.root.addEventListener("keydown", ({ key }) => key === "Escape" && this.close());
  }

  /** Put it away; the keyboard goes to the board. */
  close() {
    this.act(resulted, false);
    focusBoard();
  }

  /** @param {State} state */
  draw({ view, words, scene, look, result, log }) {
    const end = view?.end;
    this.root.hidden = !result || !end || !!scene || !!look;
    if (!end || this.root.hidden) return;
    this.root.dataset.outcome = end.outcome;
    this.root.setAttribute("aria-label", words.result);
    this.closer.setAttribute("aria-label", words.close);
    this.title.textContent = end.result;
    this.lines.replaceChildren(...paragraphs([end.why ?? "", end.rating ?? ""].filter(Boolean)));
    const mine = view.chairs.some((chair) => chair.mine);
    const further = mine ? offered(view.buttons?.filter((each) => each.end), this.act) : [];
    const replay = log.length ? [button(words.replay, () => this.act(autoplayed))] : [];
    fill(this.buttons, [...further.slice(0, 1), ...replay, ...further.slice(1)]);
  }
}
