// The menu of the action bar: a button, and what it opens.

import { button, make } from "./dom.js";

export class Menu {
  constructor() {
    this.items = make("div", { class: "menu", hidden: true });
    this.opener = button("⋯", () => this.toggle(this.items.hidden), "opener");
    this.root = make("div", { class: "menu-root" }, this.items, this.opener);
    this.root.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || this.items.hidden) return;
      event.stopPropagation();
      this.toggle(false);
      this.opener.focus();
    });
    this.items.addEventListener("click", () => this.toggle(false));
    addEventListener("pointerdown", ({ target }) => this.root.contains(/** @type {Node} */ (target)) || this.toggle(false));
    this.toggle(false);
  }

  /** @param {boolean} open */
  toggle(open) {
    this.items.hidden = !open;
    this.opener.setAttribute("aria-expanded", String(open));
    if (open) this.items.querySelector("button")?.focus();
  }

  /** @param {HTMLElement[]} items @param {string} label */
  draw(items, label) {
    this.opener.setAttribute("aria-label", label);
    this.items.replaceChildren(...items);
  }
}
