// A board: a grid of buttons over one drawing. Squares are known by their number, along the rows from the top left one.

/** @import { DrawnBoard, DrawnSquare, State } from "./state.js" */

import { attribute, make } from "./dom.js";
import { resting, waiting } from "./ahead.js";
import { SIDE, cornerOf, drawing, emptyBoard, shape, standing } from "./looks.js";
import { slides } from "./pieces.js";
import { boardOf, ghost } from "./preview.js";
import { choices, movable, picked, several } from "./selection.js";
import { here, pickable, squareNames, titleOf } from "./state.js";
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
    this.air = drawing("svg", {}); // over the squares, for pieces that move
    /** @type {DrawnSquare[]} */
    this.shown = []; // how each square is drawn, and what stands on it
    /** @type {string[]} */
    this.pieces = []; // the name of what stands on each square
    /** @type {Map<number, SVGElement>} */
    this.lifted = new Map(); // pieces in the air, by their squares
    /** @type {SVGElement | null} */
    this.drag = null; // the one that is dragged
    this.still = false; // whether nothing slides: it was dragged there
    this.reduced = matchMedia("(prefers-reduced-motion: reduce)");
    this.coarse = matchMedia("(pointer: coarse)");
    /** @type {Map<number, ChoiceKind>} */
    this.choices = new Map();
    /** @type {number[]} */
    this.held = []; // the squares of the piece that is picked
    /** @type {number[]} */
    this.grips = []; // the squares where a drag can begin
    this.turn = ""; // names the turn that is picked
    this.tapped = { at: -1, time: 0 }; // where a finger tapped last, and when, in ms
    this.paints = false; // whether the squares of a step are touched one by one
    this.zoomed = 0; // pixels of a square of a board that is zoomed
    this.room = [0, 0]; // pixels for squares
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
    this.grid.addEventListener("pointerup", (event) => this.released(this.square(event)));
    this.grid.addEventListener("pointercancel", () => this.released(null));
    new ResizeObserver(() => this.fit()).observe(this.root);
  }

  /** Draw the board of a state. @param {State} state */
  draw(state) {
    const { look, taps, words, view } = state;
    const [now, shown] = [picked(state), here(state)];
    const board = boardOf(state);
    this.root.hidden = !board;
    if (!board) return;
    this.show(board, [words.board, titleOf(state)].join(": "));
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
    const idle = look || state.sending;
    for (const { picks, squares } of idle ? [] : choices(state)) {
      const kind = now?.held.length ? "target" : picks === "cells" ? "reach" : picks === "piece" && !pick?.gathers ? "piece" : "target";
      for (const at of squares) further.set(at, kind);
    }
    this.choices = further;
    this.held = now?.held ?? [];
    this.grips = idle ? [] : this.paints ? [...further.keys()] : movable(state);
    this.mark(chosen, resting(state) ? new Map() : further, words, waiting(state));
    this.zoomIn(look || !shown?.pick ? "" : `${view?.turns} ${shown?.on}`);
  }

  /** Show a board, which is then to be marked; only what differs from the last one is drawn. @param {DrawnBoard} board @param {string} label */
  show(board, label) {
    const sides = [board.ranks, board.files].join(" ");
    const fresh = sides !== this.sides;
    if (fresh) this.lay(board);
    this.sides = sides;
    this.grid.setAttribute("aria-label", label);
    this.shown = board.squares.map((entry) => board.legend[entry]);
    const before = this.pieces;
    // A piece that is faded is still where it was, until it is put down elsewhere.
    if (!this.shown.some(({ faded }) => faded)) this.pieces = this.shown.map(({ look, piece = look }) => standing(piece));
    for (const [at, moving] of this.lifted) if (before[at] !== this.pieces[at]) this.land(moving);
    const still = this.still || fresh || document.hidden || this.reduced.matches;
    for (const { to, middle, from, turn } of still ? [] : slides(before, this.pieces, this.files)) {
      const moving = this.lift(to);
      const [x, y] = middle.map((along) => along * SIDE);
      moving.style.transformOrigin = `${x}px ${y}px`;
      this.fly(moving, `matrix(${[...turn, from[0] * SIDE - x, from[1] * SIDE - y]})`);
    }
    this.still = false;
    this.shown.forEach((_, at) => this.write(at));
  }

  /** Write how a square looks: without its piece while that is in the air, or with a faded one while it is dragged. @param {number} at */
  write(at) {
    const [square, moving] = [this.shown[at], this.lifted.get(at)];
    const drawn = moving ? { ...square, ...(moving === this.drag ? { faded: true } : { piece: "" }) } : square;
    attribute(this.uses[at], "href", `#${shape(drawn)}`);
  }

  /** Take a piece off its squares. @param {number[]} squares */
  lift(squares) {
    const moving = drawing("g", {});
    for (const at of squares) {
      const { look, piece = look } = this.shown[at];
      const [x, y] = cornerOf(at, this.files);
      moving.append(drawing("use", { x, y, width: SIDE, height: SIDE, href: `#${shape({ look: "", piece, text: "" })}` }));
      const had = this.lifted.get(at);
      if (had) this.land(had);
      this.lifted.set(at, moving);
    }
    this.air.append(moving);
    return moving;
  }

  /** Let a piece slide to its squares. @param {SVGElement} moving @param {string} from */
  fly(moving, from) {
    moving.style.transform = "";
    moving.animate([{ transform: from }, { transform: "none" }], { duration: SLIDE, easing: "ease-out" }).onfinish = () => this.land(moving);
  }

  /** Put a piece down. @param {SVGElement} moving */
  land(moving) {
    moving.remove();
    if (moving === this.drag) this.drag = null;
    for (const [at, each] of this.lifted) if (each === moving && this.lifted.delete(at)) this.write(at);
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
      const stands = this.shown[at].text;
      const full = state === "choice" && this.pieces[at] && "full";
      const grip = this.grips.includes(at) && "lifts";
      const kind = [state === "picked" ? drawn && "drawn" : further.get(at), full, grip].filter(Boolean).join(" ");
      attribute(cell, "data-state", state);
      attribute(cell, "class", kind);
      attribute(cell, "aria-selected", state === "picked" && "true");
      const told = drawn && stands ? "" : words[state];
      attribute(cell, "aria-label", `${this.names[at]}, ${[stands, told].filter(Boolean).join("; ")}`);
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
    this.lifted.clear();
    this.drag = null;
    const had = this.grid.contains(document.activeElement);
    const { picture, uses } = emptyBoard(this.files, this.ranks);
    this.uses = uses;
    this.air = /** @type {SVGElement} */ (picture.cloneNode());
    this.cells = this.names.map((_, at) => make("button", { type: "button", tabindex: "-1", "data-at": String(at), role: "gridcell" }));
    const rows = board.ranks.map((rank, row) => {
      const cells = this.cells.slice(row * this.files, (row + 1) * this.files);
      return make("div", { class: "row", role: "row", "aria-label": rank }, ...cells);
    });
    const files = make("div", { class: "names", "aria-hidden": "true" }, ...board.files.map((file) => make("span", {}, file)));
    this.grid.replaceChildren(picture, ...rows, this.air, files);
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
    const rim = parseFloat(getComputedStyle(this.root).paddingLeft) || 0; // for the names of files and ranks
    const [wide, high] = (this.room = [this.root.clientWidth - rim, this.root.clientHeight - rim]);
    this.root.parentElement?.style.setProperty("--ratio", String(this.ranks / this.files));
    this.small = Math.max(6, Math.floor(Math.min((wide - 2) / this.files, (high - 2) / this.ranks, 150)));
    this.grid.style.setProperty("--cell", `${this.zoomed || this.small}px`);
    this.grid.style.setProperty("--files", String(this.files));
    this.root.classList.toggle("zoomed", this.zoomed > 0);
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
    const [wide, high] = this.room;
    const to = squares.length ? zoomTo(squares, { files: this.files, wide, high }) : null;
    this.zoomed = to?.side ?? 0;
    this.fit();
    if (to) this.root.scrollTo(to.x * to.side - wide / 2, to.y * to.side - high / 2);
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
    if (at !== null && !(event.detail && this.dragged)) this.choose(at, event.detail > 0 && this.touch);
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
    if (!event.isPrimary) return; // a second finger
    this.touch = event.pointerType === "touch";
    this.dragged = false;
    const at = this.squareOf(event.target);
    const sure = !this.touch || this.zoomed || this.small >= FINGER;
    this.from = at !== null && event.button === 0 && sure && this.grips.includes(at) ? at : null;
    this.start = [event.clientX, event.clientY];
    this.last = null;
  }

  /** @param {PointerEvent} event */
  pointermove(event) {
    const { from, start } = this;
    if (from === null) return;
    const [x, y] = [event.clientX - start[0], event.clientY - start[1]];
    if (!this.dragged) {
      if (Math.hypot(x, y) < DRAGGED) return;
      this.dragged = true;
      this.grid.setPointerCapture(event.pointerId);
      if (!this.held.includes(from)) this.tap(from);
      if (this.held.includes(from)) this.drag = this.lift([from]);
      this.write(from);
    }
    const unit = SIDE / (this.zoomed || this.small);
    if (this.drag) this.drag.style.transform = `translate(${x * unit}px, ${y * unit}px)`;
    const over = this.square(event);
    if (over === this.last) return;
    this.last = over;
    this.hover(over);
    if (!this.paints || over === null || over === from || !this.choices.has(over)) return;
    this.still = true;
    this.tap(over);
  }

  /** A drag ends: the piece is put down, or goes back. @param {number | null} to */
  released(to) {
    const { drag, from } = this;
    this.hover(null);
    this.from = null;
    if (!drag) return;
    this.still = to !== null && this.choices.has(to);
    if (this.still || this.reduced.matches) this.land(drag);
    else this.fly(drag, drag.style.transform);
    this.drag = null;
    if (to !== null && to !== from && (this.still || !this.choices.size)) this.tap(to);
  }

  /** Mark the square over which a drag is, if something can be put there. @param {number | null} over */
  hover(over) {
    this.grid.querySelector(".over")?.classList.remove("over");
    if (over !== null && this.choices.has(over)) this.cells[over].classList.add("over");
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
