// A board: a grid of buttons over one drawing. Squares are known by their number, along the rows from the top left one.

/** @import { State } from "./state.js" */

import { make } from "./dom.js";
import { SIDE, drawing } from "./looks.js";
import { choices, picked, several } from "./selection.js";
import { here, squareNames } from "./state.js";

const FINGER = 24; // pixels of a square that a finger can hit
const ZOOMED = 44; // pixels of a square of a board that is zoomed
const DRAGGED = 8; // pixels after which a press is a drag

export class Board {
  /**
   * @param {(square: number) => void} tap
   * @param {(key: string) => boolean} key is given the keys that do not move over the board; returns whether it did something
   */
  constructor(tap, key) {
    this.tap = tap;
    this.key = key;
    this.at = 0; // the square with the keyboard
    this.files = this.ranks = 0;
    this.sides = "";
    /** @type {string[]} */
    this.names = [];
    /** @type {HTMLButtonElement[]} */
    this.cells = [];
    /** @type {SVGElement[]} */
    this.uses = [];
    /** @type {PageLegend[]} */
    this.shown = []; // how each square looks, and what stands on it
    /** @type {Set<number>} */
    this.choices = new Set();
    this.paints = false; // whether the squares of a step are touched one by one
    this.zoomed = false;
    this.small = 0; // pixels of a square of a board that is not zoomed
    this.touch = false; // whether the last press was a finger's
    this.dragged = false;
    /** @type {number | null} */
    this.from = null; // where a press began, if it can become a drag
    /** @type {number | null} */
    this.last = null; // the square over which a drag is
    this.start = [0, 0];
    this.grid = make("div", { class: "board", role: "grid" });
    this.root = make("div", { class: "scroller" }, this.grid);
    this.grid.addEventListener("keydown", (event) => this.pressed(event));
    this.grid.addEventListener("click", (event) => this.clicked(event));
    this.grid.addEventListener("focusin", (event) => this.focused(event));
    this.grid.addEventListener("pointerdown", (event) => this.pointerdown(event));
    this.grid.addEventListener("pointermove", (event) => this.pointermove(event));
    this.grid.addEventListener("pointerup", (event) => this.pointerup(event));
    this.grid.addEventListener("pointercancel", () => this.pointercancel());
    new ResizeObserver(() => this.fit()).observe(this.root);
    addEventListener("resize", () => this.fit());
  }

  /** Draw the board of a state: the position that is looked at, what is picked, or what is there. @param {State} state */
  draw(state) {
    const { look, taps, words } = state;
    const [now, shown] = [picked(state), here(state)];
    const board = look?.board ?? now?.board ?? shown?.board;
    this.root.hidden = !board;
    if (!board) return;
    this.show(board, [words.board, shown?.lines[0]].join(": "));
    this.paints = several(now?.node);
    const chosen = look ? [] : [...(now?.squares ?? []), ...taps];
    const further = look || state.sending ? [] : choices(state).flatMap((step) => step.squares);
    this.mark(new Set(chosen), new Set(further), words, !!now?.board && !taps.length);
  }

  /** Show a board, which is then to be marked; only what differs from the last one is drawn. @param {PageBoard} board @param {string} label */
  show(board, label) {
    const sides = [board.ranks, board.files].join(" ");
    if (sides !== this.sides) this.lay(board);
    this.sides = sides;
    this.grid.setAttribute("aria-label", label);
    board.squares.forEach((entry, at) => {
      const legend = board.legend[entry];
      if (legend.look !== this.shown[at]?.look) this.uses[at].setAttribute("href", `#l${legend.look}`);
      this.shown[at] = legend;
    });
  }

  /**
   * Mark what is picked, and what can be.
   * @param {Set<number>} chosen
   * @param {Set<number>} further
   * @param {Record<string, string>} words
   * @param {boolean} drawn whether the board shows already what is picked
   */
  mark(chosen, further, words, drawn) {
    this.choices = further;
    this.cells.forEach((cell, at) => {
      const state = chosen.has(at) ? "picked" : further.has(at) ? "choice" : "";
      if (cell.dataset.state !== state) cell.dataset.state = state;
      cell.classList.toggle("drawn", drawn && state === "picked");
      if (state === "picked") cell.setAttribute("aria-selected", "true");
      else cell.removeAttribute("aria-selected");
      const told = drawn && state === "picked" ? "" : words[state];
      const text = `${this.names[at]}, ${[this.shown[at].text, told].filter(Boolean).join("; ")}`;
      if (cell.getAttribute("aria-label") !== text) cell.setAttribute("aria-label", text);
    });
  }

  /** Put the keyboard on a square. */
  focus(at = this.at) {
    this.cells[at]?.focus();
  }

  /** @param {PageBoard} board */
  lay(board) {
    const name = this.names[this.at];
    this.names = squareNames(board);
    this.files = board.files.length;
    this.ranks = board.ranks.length;
    this.shown = [];
    const had = this.grid.contains(document.activeElement);
    const picture = drawing("svg", { viewBox: `0 0 ${this.files * SIDE} ${this.ranks * SIDE}`, "aria-hidden": "true" });
    this.uses = this.names.map((_, at) => {
      const [x, y] = [(at % this.files) * SIDE, Math.floor(at / this.files) * SIDE];
      return drawing("use", { x, y, width: SIDE, height: SIDE });
    });
    picture.append(...this.uses);
    this.cells = this.names.map((_, at) => {
      const bottom = at >= this.names.length - this.files && board.files[at % this.files];
      return make("button", { type: "button", tabindex: "-1", "data-at": String(at), role: "gridcell", "data-file": bottom });
    });
    const rows = board.ranks.map((rank, row) => {
      const cells = this.cells.slice(row * this.files, (row + 1) * this.files);
      return make("div", { class: "row", role: "row", "data-rank": rank }, ...cells);
    });
    this.grid.replaceChildren(picture, ...rows);
    this.at = Math.max(0, this.names.indexOf(name));
    this.cells[this.at].tabIndex = 0;
    this.zoomed = false;
    this.fit();
    if (had) this.focus();
  }

  /** Give the squares whole pixels, as large as there is room for. */
  fit() {
    if (!this.files) return;
    const room = this.root.parentElement ?? this.root; // which does not change with the board
    const rim = parseFloat(getComputedStyle(this.root).paddingLeft) || 0; // for the names of files and ranks
    const [wide, high] = [room.clientWidth - rim - 2, room.clientHeight - rim - 2];
    room.style.setProperty("--ratio", String(this.ranks / this.files));
    this.small = Math.max(6, Math.floor(Math.min(wide / this.files, high / this.ranks, 150)));
    const side = this.zoomed ? ZOOMED : this.small;
    this.grid.style.setProperty("--cell", `${side}px`);
    this.grid.style.setProperty("--files", String(this.files));
    this.root.classList.toggle("zoomed", this.zoomed);
    this.root.style.setProperty("--high", `${this.small * this.ranks + rim + 2}px`);
  }

  /** Zoom to a square; null: out. @param {number | null} at */
  zoom(at) {
    this.zoomed = at !== null;
    this.fit();
    if (at !== null) this.cells[at].scrollIntoView({ block: "center", inline: "center" });
  }

  /** The square of an element; null: it is of none. @param {EventTarget | null} target */
  squareOf(target) {
    const cell = target instanceof Element ? target.closest("[data-at]") : null;
    return cell && this.grid.contains(cell) ? Number(cell.getAttribute("data-at")) : null;
  }

  /** The square under a pointer; null: there is none. @param {PointerEvent} event */
  square(event) {
    return this.squareOf(document.elementFromPoint(event.clientX, event.clientY));
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const at = this.squareOf(event.target);
    if (at === null) return;
    if (this.dragged) {
      this.dragged = false;
      return;
    }
    this.choose(at, event.detail > 0 && this.touch);
  }

  /** @param {number} at @param {boolean} touched */
  choose(at, touched) {
    if (touched && this.small < FINGER && !this.zoomed) {
      this.zoom(at); // the first tap magnifies, the second picks
      return;
    }
    if (this.zoomed) this.zoom(null);
    this.tap(at);
  }

  /** @param {PointerEvent} event */
  pointerdown(event) {
    this.touch = event.pointerType === "touch";
    this.dragged = false;
    this.from = event.button === 0 && !(this.touch && this.small < FINGER) ? this.square(event) : null;
    this.start = [event.clientX, event.clientY];
    this.last = null;
  }

  /** @param {PointerEvent} event */
  pointermove(event) {
    if (this.from === null) return;
    const [x, y] = this.start;
    if (this.last === null && Math.hypot(event.clientX - x, event.clientY - y) < DRAGGED) return;
    if (this.last === null) {
      if (!this.choices.has(this.from)) {
        this.from = null;
        return;
      }
      this.grid.setPointerCapture(event.pointerId);
      this.last = this.from;
      this.dragged = true;
      this.tap(this.from);
    }
    const over = this.square(event);
    if (over === null || over === this.last) return;
    this.last = over;
    this.hover(over);
    if (this.paints && this.choices.has(over)) this.tap(over);
  }

  /** @param {PointerEvent} event */
  pointerup(event) {
    const to = this.dragged ? this.square(event) : null;
    this.hover(null);
    if (to !== null && to !== this.from && !this.paints) this.tap(to);
    this.from = null;
  }

  /** Mark the square over which a drag is. @param {number | null} over */
  hover(over) {
    this.grid.querySelector(".over")?.classList.remove("over");
    if (over !== null) this.cells[over].classList.add("over");
  }

  pointercancel() {
    this.hover(null);
    this.from = null;
  }

  /** @param {FocusEvent} event */
  focused(event) {
    const at = this.squareOf(event.target);
    if (at === null) return;
    this.cells[this.at].tabIndex = -1;
    this.at = at;
    this.cells[at].tabIndex = 0;
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const row = this.at - (this.at % this.files);
    const last = this.cells.length - 1;
    /** @type {Record<string, number>} */
    const steps = {
      ArrowLeft: Math.max(row, this.at - 1),
      ArrowRight: Math.min(row + this.files - 1, this.at + 1),
      ArrowUp: this.at - this.files < 0 ? this.at : this.at - this.files,
      ArrowDown: this.at + this.files > last ? this.at : this.at + this.files,
      Home: row,
      End: row + this.files - 1,
      PageUp: this.at % this.files,
      PageDown: last - (this.files - 1) + (this.at % this.files),
    };
    if (event.key in steps) this.focus(steps[event.key]);
    else if (event.key === "Enter" || event.key === " ") {
      if (!event.repeat) this.choose(this.at, false);
    } else if (!this.key(event.key)) return;
    event.preventDefault();
  }
}
