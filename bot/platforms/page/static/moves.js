// The moves, each of which leads to its position: a strip to be drawn along, or a list where there is room: a row for each round
// of two players, else for each turn.

/** @import { Act, State } from "./state.js" */

import { make } from "./dom.js";
import { swatch } from "./looks.js";
import { markAt, position, wentTo } from "./replay.js";

/** @typedef {{ seat: number, row: number, from: number, to: number }} Turn what a player did: entries of the log, in a row of the list */

const SIGNS = { turning: "?", lost: "??" }; // as in notes about chess

/** Return the turns of a log. @param {PageEntry[]} log @param {boolean} two whether two players have a row together */
export function turnsOf(log, two) {
  /** @type {Turn[]} */
  const turns = [];
  log.forEach(({ seat }, index) => {
    const last = turns.at(-1);
    if (last?.seat === seat) last.to = index + 1;
    else turns.push({ seat, row: (last?.row ?? 0) + (two && last && last.seat < seat ? 0 : 1), from: index, to: index + 1 });
  });
  return turns;
}

export class Moves {
  /** @param {Act} act */
  constructor(act) {
    /** @type {string[]} */
    this.drawn = []; // the entries that are drawn
    /** @type {HTMLElement[]} */
    this.shown = [];
    this.current = 0; // the entry before the position on the board
    this.list = make("ol", { onclick: (/** @type {MouseEvent} */ event) => this.clicked(event, act) });
    this.root = make("section", { class: "log" }, this.list);
  }

  /** @param {MouseEvent} event @param {Act} act */
  clicked({ target }, act) {
    const at = target instanceof Element && target.closest("[data-entry]")?.getAttribute("data-entry");
    if (at) act(wentTo, Number(at));
  }

  /** Draw the list; only what differs is written. It follows the match, unless the reader scrolled away. @param {State} state */
  draw(state) {
    const { log, view, words, look } = state;
    if (this.root.hidden) this.current = 0;
    if (this.root.hidden) return;
    const follows = !!look || this.visible();
    const two = view?.chairs.length === 2;
    const entries = log.map(({ seat, text }, index) => {
      const mark = markAt(state, index + 1);
      return [seat, view?.chairs[seat]?.look, text, mark && SIGNS[mark.kind]].join(" ");
    });
    const same = entries.findIndex((entry, index) => entry !== this.drawn[index]);
    if (same >= 0 || entries.length < this.drawn.length) this.write(state, two, same < 0 ? entries.length : same);
    this.drawn = entries;
    this.list.classList.toggle("two", two);
    this.list.setAttribute("aria-label", words.log);
    const at = position(state);
    if (at === this.current && same < 0) return;
    this.list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    this.shown[at - 1]?.setAttribute("aria-current", "true");
    this.current = at;
    if (follows) this.follow();
  }

  /** Write the turns anew from the one of an entry on. @param {State} state @param {boolean} two @param {number} from */
  write(state, two, from) {
    const turns = turnsOf(state.log, two);
    const at = turns.findIndex((turn) => turn.to > from);
    const kept = at < 0 ? turns.length : at;
    while (this.list.children.length > kept) this.list.lastElementChild?.remove();
    this.shown.length = turns[kept]?.from ?? state.log.length;
    for (const turn of turns.slice(kept)) this.list.append(this.line(state, turn, two, turn.row !== turns[turns.indexOf(turn) - 1]?.row));
  }

  /** @param {State} state @param {Turn} turn @param {boolean} two @param {boolean} begins whether a row begins with it */
  line(state, { seat, row, from, to }, two, begins) {
    const look = state.view?.chairs[seat]?.look;
    const line = make("li", { class: two && seat ? "second" : "", "data-row": begins && String(row) }, ...(look && !two ? [swatch(look)] : []));
    for (let index = from; index < to; index++) {
      const mark = markAt(state, index + 1);
      const sign = mark ? [make("b", { class: mark.kind, title: mark.text, "aria-label": mark.text, role: "img" }, SIGNS[mark.kind])] : [];
      const entry = make("button", { type: "button", "data-entry": String(index + 1) }, state.log[index].text, ...sign);
      this.shown.push(entry);
      line.append(entry);
    }
    return line;
  }

  /** Whether the current entry is seen, or there is none yet. */
  visible() {
    const entry = this.shown[this.current - 1];
    if (!entry) return true;
    const [one, all] = [entry.getBoundingClientRect(), this.list.getBoundingClientRect()];
    return one.right > all.left && one.left < all.right && one.bottom > all.top && one.top < all.bottom;
  }

  /** Scroll to the current entry. */
  follow() {
    const entry = this.shown[this.current - 1];
    const { offsetLeft = 0, offsetTop = 0, offsetWidth = 0, offsetHeight = 0 } = entry ?? {};
    const { clientWidth, clientHeight } = this.list;
    this.list.scrollTo(offsetLeft - (clientWidth - offsetWidth) / 2, offsetTop - (clientHeight - offsetHeight) / 2);
  }
}
