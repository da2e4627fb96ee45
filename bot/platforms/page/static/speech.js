// What a screen reader says. A text is heard when it comes into the page, and leaves it again: later readers would take it for new.

import { make } from "./dom.js";

const LATEST = 3; // texts that stay: quick presses leave more than anyone reads
const HEARD = 5000; // ms after which a text leaves the page

export class Speech {
  /** @param {(then: () => void, ms: number) => unknown} wait */
  constructor(wait) {
    this.wait = wait;
    this.polite = make("div", { class: "hidden", "aria-live": "polite" });
    this.urgent = make("div", { class: "hidden", role: "alert" });
  }

  /** Say what is news once the reader has said what it is at. @param {string[]} texts */
  say(texts) {
    this.add(this.polite, texts);
  }

  /** Say at once what went wrong. @param {string[]} texts */
  alert(texts) {
    this.add(this.urgent, texts);
  }

  /** @param {HTMLElement} box @param {string[]} texts */
  add(box, texts) {
    const text = [...new Set(texts)].join(" ").trim();
    if (!text) return;
    const line = make("p", {}, text);
    box.append(line);
    if (box.children.length > LATEST) box.children[0].remove();
    this.wait(() => line.remove(), HEARD);
  }
}
