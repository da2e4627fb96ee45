// The menu of the action bar: a button, and what it opens.

import { fill, make } from "./dom.js";
import { iconButton } from "./icons.js";

export class Menu {
  /** @param {() => void} opened */
  constructor(opened) {
    this.opened = opened;
    this.items = make("div", { class: "menu", hidden: true });
    this.opener = iconButton("dots", "", () => this.show(this.items.hidden));
    this.opener.setAttribute("aria-expanded", "false");
    this.root = make("div", { class: "menu-root" }, this.opener, this.items);
    this.root.addEventListener("keydown", (event) => this.pressed(event));
    this.root.addEventListener("focusout", ({ relatedTarget }) => relatedTarget && this.leave(relatedTarget));
    this.items.addEventListener("click", () => this.close());
    addEventListener("pointerdown", ({ target }) => this.leave(target));
  }

  /** @param {boolean} open */
  show(open) {
    if (open) this.opened();
    this.items.hidden = !open;
    this.opener.setAttribute("aria-expanded", String(open));
    if (open) this.shown()[0]?.focus();
  }

  /** Return the items that this layout has. */
  shown() {
    return [...this.items.querySelectorAll("button")].filter((item) => item.offsetParent);
  }

  /** Close, with the keyboard where it was before. */
  close() {
    const had = this.items.contains(document.activeElement);
    this.show(false);
    if (had) this.opener.focus();
  }

  /** Close if an element is elsewhere. @param {EventTarget | null} target */
  leave(target) {
    if (!this.items.hidden && !this.root.contains(/** @type {Node | null} */ (target))) this.show(false);
  }

  /** @param {HTMLElement[]} items @param {string} label */
  draw(items, label) {
    this.opener.setAttribute("aria-label", label);
    this.opener.title = label;
    fill(this.items, items);
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    if (this.items.hidden) return;
    const items = this.shown();
    const at = items.findIndex((item) => item === document.activeElement);
    /** @type {Record<string, number>} */
    const steps = { ArrowDown: (at + 1) % items.length, ArrowUp: (at + items.length - 1) % items.length, Home: 0, End: items.length - 1 };
    if (event.key in steps) items[steps[event.key]].focus();
    else if (event.key === "Escape") this.close();
    else return;
    event.stopPropagation();
    event.preventDefault();
  }
}
