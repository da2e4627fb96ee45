// The menu of the action bar: a button, and what it opens.

/** @import { Act, State } from "./state.js" */

import { offered } from "./actions.js";
import { flipped, helped, menued, noted, ruled, shared, sounded, triedHere, typing } from "./doing.js";
import { button, fill, make } from "./dom.js";
import { iconButton } from "./icons.js";
import { here, offers, went } from "./state.js";

/** Return what is in the menu, with lines between its groups. @param {State} state @param {Act} act */
export function menuItems(state, act) {
  const { words, view, scene } = state;
  const shown = here(state);
  const groups = [
    // They come later, and above the others, which then do not move.
    [...(state.hushed ? offered(offers(state).buttons, act) : []), ...(scene ? [] : offered(state.menu, act))],
    [
      ...(view?.board && !scene ? [button(words.flip, () => act(flipped))] : []),
      ...(view?.tries && !scene ? [button(words["what-if"], () => act(triedHere))] : []),
      ...(state.note === null || scene ? [] : [button(words.note, () => act(noted))]),
      ...(shown?.pick ? [button(words.type, () => act(typing))] : []),
    ],
    [
      ...(view?.share && !view.invite && !scene ? [button(words.share, () => act(shared))] : []),
      ...(view?.board && !scene ? [button(words[state.sound ? "sound-off" : "sound-on"], () => act(sounded))] : []),
      ...(state.seated ? [button(words.games, () => act(went, ""))] : []),
      ...(view && state.seated && !scene ? [button(words.rules, () => act(ruled))] : []),
      button(words.help, () => act(helped)),
    ],
  ].filter((group) => group.length);
  return groups.flatMap((group, at) => (at ? [make("hr"), ...group] : group));
}

export class Menu {
  /** @param {Act} act @param {HTMLElement} root where it is */
  constructor(act, root) {
    this.act = act;
    this.root = root;
    this.items = make("div", { class: "menu", hidden: true });
    this.opener = iconButton("dots", "", () => this.show(this.items.hidden));
    this.opener.setAttribute("aria-expanded", "false");
    root.append(this.opener, this.items);
    root.addEventListener("keydown", (event) => this.pressed(event));
    root.addEventListener("focusout", ({ relatedTarget }) => relatedTarget && this.leave(relatedTarget));
    this.items.addEventListener("click", () => this.close());
    addEventListener("pointerdown", ({ target }) => this.leave(target));
  }

  /** @param {boolean} open */
  show(open) {
    if (open) this.act(menued);
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

  /** @param {State} state */
  draw(state) {
    this.opener.setAttribute("aria-label", state.words.menu);
    this.opener.title = state.words.menu;
    fill(this.items, menuItems(state, this.act));
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
