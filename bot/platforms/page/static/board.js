// A board: a grid of buttons over one drawing. Squares are known by their number, along the rows from the top left one.

/** @import { DrawnBoard, DrawnSquare, State } from "./state.js" */

import { make } from "./dom.js";
import { resting, waiting } from "./ahead.js";
import { SIDE, cornerOf, drawing, emptyBoard, shape, standing } from "./looks.js";
import { slides } from "./pieces.js";
import { boardOf, ghost } from "./preview.js";
import { choices, picked, several } from "./selection.js";
import { here, pickable, squareNames } from "./state.js";
import { zoomTo } from "./zoom.js";

const FINGER = 24; // pixels of a square that a finger can hit
const DRAGGED = 8; // pixels after which a press is a drag
const TWICE = 300; // ms between two taps that are a double one
const SLIDE = 150; // ms that a piece takes to its square

/** @typedef {"" | "piece" | "reach" | "target"} ChoiceKind a piece to be moved, a place to put something, or where a piece goes */

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
    /** @type {SVGElement} */
    this.picture = drawing("svg", {});
    /** @type {DrawnSquare[]} */
    this.shown = []; // how each square is drawn, and what stands on it
    /** @type {string[]} */
    this.pieces = []; // the name of the whole piece on each square
    /** @type {Map<number, SVGElement>} */
    this.sliding = new Map(); // pieces on their way, by where they arrive
    this.still = false; // whether nothing slides: it was dragged there
    this.reduced = matchMedia("(prefers-reduced-motion: reduce)");
    this.coarse = matchMedia("(pointer: coarse)");
    /** @type {Map<number, ChoiceKind>} */
    this.choices = new Map();
    this.turn = ""; // names the turn that is picked
    this.tapped = { at: -1, time: 0 }; // where a finger tapped last, and when, in ms
    this.paints = false; // whether the squares of a step are touched one by one
    this.zoomed = 0; // pixels of a square of a board that is zoomed
    this.rim = 0; // pixels of the names of files and ranks
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

  /** Draw the board of a state. @param {State} state */
  draw(state) {
    const { look, taps, words, view } = state;
    const [now, shown] = [picked(state), here(state)];
    const board = boardOf(state);
    this.root.hidden = !board;
    if (!board) return;
    this.show(board, [words.board, shown?.lines[0]].join(": "));
    this.paints = several(now?.node);
    /** @type {Map<number, boolean>} whether the board shows already what is picked */
    const chosen = new Map();
    const pick = pickable(state);
    if (!look) {
      const touched = pick?.puts?.cells ? ghost(state) : [];
      for (const at of now?.squares ?? []) chosen.set(at, !!now?.board && !now.held.includes(at));
      for (const at of now?.early ?? []) chosen.set(at, false);
      for (const at of [...taps, ...touched]) chosen.set(at, touched.includes(at));
    }
    /** @type {Map<number, ChoiceKind>} */
    const further = new Map();
    for (const { picks, squares } of look || state.sending ? [] : choices(state)) {
      const kind = now?.held.length ? "target" : picks === "cells" ? "reach" : picks === "piece" && !pick?.gathers ? "piece" : "target";
      for (const at of squares) further.set(at, kind);
    }
    this.mark(chosen, resting(state) ? new Map() : further, words, waiting(state));
    this.choices = further;
    this.zoomIn(look || !shown?.pick ? "" : `${view?.turns} ${shown?.on}`);
  }

  /** Show a board, which is then to be marked; only what differs from the last one is drawn. @param {DrawnBoard} board @param {string} label */
  show(board, label) {
    const sides = [board.ranks, board.files].join(" ");
    const fresh = sides !== this.sides;
    if (fresh) this.lay(board);
    this.sides = sides;
    this.grid.setAttribute("aria-label", label);
    const [shown, pieces] = [this.shown, this.pieces];
    this.shown = board.squares.map((entry) => board.legend[entry]);
    this.pieces = this.shown.map(({ look, piece = look }, at) => {
      if (shown[at] && piece === (shown[at].piece ?? shown[at].look)) return pieces[at];
      const stands = standing(piece);
      return stands && !stands.part ? stands.name : "";
    });
    const still = this.still || fresh || document.hidden || this.reduced.matches;
    const moves = still ? [] : slides(pieces, this.pieces, this.files);
    this.still = false;
    for (const at of this.sliding.keys()) if (pieces[at] !== this.pieces[at]) this.arrive(at);
    for (const [from, to] of moves) this.slide(from, to);
    this.uses.forEach((use, at) => {
      const href = this.drawn(at);
      if (use.getAttribute("href") !== href) use.setAttribute("href", href);
    });
  }

  /** The drawing of a square: without its piece while that is on its way. @param {number} at */
  drawn(at) {
    const square = this.shown[at];
    return `#${shape(this.sliding.has(at) ? { ...square, piece: "" } : square)}`;
  }

  /** Let a piece slide to its square. @param {number} from @param {number} to */
  slide(from, to) {
    const { look, piece = look } = this.shown[to];
    const [x, y] = this.corner(to);
    const [left, top] = this.corner(from);
    const moving = drawing("use", { x, y, width: SIDE, height: SIDE, href: `#${shape({ look: "", piece, text: "" })}` });
    this.arrive(to);
    this.sliding.set(to, moving);
    this.picture.append(moving);
    const way = [{ transform: `translate(${left - x}px, ${top - y}px)` }, { transform: "none" }];
    moving.animate(way, { duration: SLIDE, easing: "ease-out" }).onfinish = () => this.sliding.get(to) === moving && this.arrive(to);
  }

  /** A piece is there. @param {number} at */
  arrive(at) {
    this.sliding.get(at)?.remove();
    if (this.sliding.delete(at)) this.uses[at].setAttribute("href", this.drawn(at));
  }

  /** The top left corner of a square in the picture. @param {number} at */
  corner(at) {
    return cornerOf(at, this.files);
  }

  /**
   * Mark what is picked, and what can be.
   * @param {Map<number, boolean>} chosen whether the board shows it already
   * @param {Map<number, ChoiceKind>} further
   * @param {Record<string, string>} words
   * @param {number[]} ahead the squares of a prepared move
   */
  mark(chosen, further, words, ahead) {
    this.cells.forEach((cell, at) => {
      const drawn = chosen.get(at);
      const state = chosen.has(at) ? "picked" : further.has(at) ? "choice" : ahead.includes(at) ? "ahead" : "";
      const { look, piece = look, text: stands } = this.shown[at];
      const full = state === "choice" && standing(piece) ? "full" : "";
      const kind = state === "picked" ? (drawn ? "drawn" : "") : [further.get(at) ?? "", full].filter(Boolean).join(" ");
      if (cell.dataset.state !== state) cell.dataset.state = state;
      if (cell.className !== kind) cell.className = kind;
      if (state === "picked") cell.setAttribute("aria-selected", "true");
      else cell.removeAttribute("aria-selected");
      const told = drawn && stands ? "" : words[state];
      const text = `${this.names[at]}, ${[stands, told].filter(Boolean).join("; ")}`;
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
    this.pieces = [];
    this.sliding.clear();
    const had = this.grid.contains(document.activeElement);
    ({ picture: this.picture, uses: this.uses } = emptyBoard(this.files, this.ranks));
    this.cells = this.names.map((_, at) => make("button", { type: "button", tabindex: "-1", "data-at": String(at), role: "gridcell" }));
    const rows = board.ranks.map((rank, row) => {
      const cells = this.cells.slice(row * this.files, (row + 1) * this.files);
      return make("div", { class: "row", role: "row", "data-rank": rank }, ...cells);
    });
    const files = make("div", { class: "names", "aria-hidden": "true" }, ...board.files.map((file) => make("span", {}, file)));
    this.grid.replaceChildren(this.picture, ...rows, files);
    this.at = Math.max(0, this.names.indexOf(name));
    this.cells[this.at].tabIndex = 0;
    this.zoomed = 0;
    this.turn = "";
    this.fit();
    if (had) this.focus();
  }

  /** Give the squares whole pixels, as large as there is room for. */
  fit() {
    if (!this.files) return;
    const room = this.root.parentElement ?? this.root; // which does not change with the board
    this.rim = parseFloat(getComputedStyle(this.root).paddingLeft) || 0; // for the names of files and ranks
    const [wide, high] = [room.clientWidth - this.rim - 2, room.clientHeight - this.rim - 2];
    room.style.setProperty("--ratio", String(this.ranks / this.files));
    this.small = Math.max(6, Math.floor(Math.min(wide / this.files, high / this.ranks, 150)));
    this.grid.style.setProperty("--cell", `${this.zoomed || this.small}px`);
    this.grid.style.setProperty("--files", String(this.files));
    this.root.classList.toggle("zoomed", this.zoomed > 0);
    this.root.style.setProperty("--high", `${this.small * this.ranks + this.rim + 2}px`);
  }

  /** On a phone a large board shows, from the beginning of a turn to its end, where something can be picked. @param {string} turn */
  zoomIn(turn) {
    if (turn === this.turn) return;
    this.turn = turn;
    const fits = this.small >= FINGER || !(this.touch || this.coarse.matches);
    this.zoom(fits || !turn ? [] : [...this.choices.keys()]);
  }

  /** Zoom to squares; to none: out. @param {number[]} squares */
  zoom(squares) {
    const [wide, high] = [this.root.clientWidth - this.rim, this.small * this.ranks];
    const to = squares.length ? zoomTo(squares, { files: this.files, ranks: this.ranks, wide, high }) : null;
    this.zoomed = to?.side ?? 0;
    this.fit();
    if (!to) return;
    const { side, left, top, across, down } = to;
    this.root.scrollTo((left + across / 2) * side + (this.rim - this.root.clientWidth) / 2, (top + down / 2) * side - high / 2);
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

  /** A square is chosen, by a finger or not. @param {number} at @param {boolean} touched */
  choose(at, touched) {
    const now = performance.now();
    const twice = touched && at === this.tapped.at && now - this.tapped.time < TWICE;
    this.tapped = twice || !touched ? { at: -1, time: 0 } : { at, time: now };
    if (touched && this.zoomed && twice) this.zoom([]);
    else if (touched && this.small < FINGER && !this.zoomed) this.zoom([at]);
    else this.tap(at);
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
    this.still = to !== null;
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
