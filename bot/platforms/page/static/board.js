// A board: a grid of buttons over one drawing. Squares are known by their number, along the rows from the top left one.

const SVG = "http://www.w3.org/2000/svg";
const SIDE = 100; // of a square, in units of the drawing
const FINGER = 24; // pixels of a square that a finger can hit
const ZOOMED = 44; // pixels of a square of a board that is zoomed
const DRAGGED = 8; // pixels after which a press is a drag

let shapes; // the looks of squares, shared by all boards of the page

/** Add looks of squares, by key. */
export function learn(looks) {
  shapes ??= document.body.appendChild(element("svg", { class: "shapes", "aria-hidden": "true" }));
  for (const [key, svg] of Object.entries(looks)) {
    const parsed = new DOMParser().parseFromString(`<svg xmlns="${SVG}"><symbol id="l${key}" viewBox="0 0 ${SIDE} ${SIDE}">${svg}</symbol></svg>`, "image/svg+xml");
    shapes.append(document.importNode(parsed.documentElement.firstChild, true));
  }
}

function element(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** Return a drawing of one look. */
export function swatch(look) {
  const drawing = element("svg", { class: "swatch", viewBox: `0 0 ${SIDE} ${SIDE}`, "aria-hidden": "true" });
  drawing.append(element("use", { href: `#l${look}` }));
  return drawing;
}

function use(at, files) {
  return element("use", { x: (at % files) * SIDE, y: Math.floor(at / files) * SIDE, width: SIDE, height: SIDE });
}

export class Board {
  /**
   * @param {(square: number) => void} tap
   * @param {(key: string) => boolean} key is given the keys that do not move over the board
   */
  constructor(tap, key) {
    this.tap = tap;
    this.key = key;
    this.at = 0;
    this.names = [];
    this.cells = [];
    this.uses = [];
    this.shown = []; // how each square looks, and what stands on it
    this.marks = { picked: new Set(), choices: new Set() };
    this.words = {};
    this.root = document.createElement("div");
    this.root.className = "scroller";
    this.grid = document.createElement("div");
    this.grid.className = "board";
    this.grid.setAttribute("role", "grid");
    this.root.append(this.grid);
    this.grid.addEventListener("keydown", (event) => this.pressed(event));
    this.grid.addEventListener("click", (event) => this.clicked(event));
    this.grid.addEventListener("focusin", (event) => this.focused(event));
    for (const kind of ["pointerdown", "pointermove", "pointerup", "pointercancel"]) {
      this.grid.addEventListener(kind, (event) => this[kind](event));
    }
    new ResizeObserver(() => this.fit()).observe(this.root);
    addEventListener("resize", () => this.fit());
  }

  /** Show a board, which is then to be marked; only what differs from the last one is drawn. */
  show(board, label) {
    const sides = [board.ranks, board.files].join(" ");
    if (sides !== this.sides) this.lay(board);
    this.sides = sides;
    this.grid.setAttribute("aria-label", label);
    board.squares.forEach((entry, at) => {
      const [look] = board.legend[entry];
      if (look !== this.shown[at]?.[0]) this.uses[at].setAttribute("href", `#l${look}`);
      this.shown[at] = board.legend[entry];
    });
  }

  /** Mark what is picked, and what can be. */
  mark(picked, choices, drawn = false) {
    this.marks = { picked, choices };
    this.cells.forEach((cell, at) => {
      const state = picked.has(at) ? "picked" : choices.has(at) ? "choice" : "";
      if (cell.dataset.state !== state) cell.dataset.state = state;
      cell.classList.toggle("drawn", drawn && state === "picked");
      if (state === "picked") cell.setAttribute("aria-selected", "true");
      else cell.removeAttribute("aria-selected");
      const told = drawn && state === "picked" ? "" : this.words[state];
      const text = `${this.names[at]}, ${[this.shown[at][1], told].filter(Boolean).join("; ")}`;
      if (cell.getAttribute("aria-label") !== text) cell.setAttribute("aria-label", text);
    });
  }

  /** Put the keyboard on a square. */
  focus(at = this.at) {
    this.cells[at]?.focus();
  }

  lay(board) {
    const names = board.ranks.flatMap((rank) => board.files.map((file) => file + rank));
    const name = this.names[this.at];
    this.names = names;
    this.files = board.files.length;
    this.ranks = board.ranks.length;
    this.shown = [];
    const had = this.grid.contains(document.activeElement);
    this.drawing = element("svg", { viewBox: `0 0 ${this.files * SIDE} ${this.ranks * SIDE}`, "aria-hidden": "true" });
    this.uses = names.map((_, at) => use(at, this.files));
    this.drawing.append(...this.uses);
    this.cells = names.map((_, at) => {
      const cell = document.createElement("button");
      cell.type = "button";
      cell.tabIndex = -1;
      cell.dataset.at = String(at);
      cell.setAttribute("role", "gridcell");
      if (at >= names.length - this.files) cell.dataset.file = board.files[at % this.files];
      return cell;
    });
    const rows = [];
    for (let from = 0; from < this.cells.length; from += this.files) {
      const row = document.createElement("div");
      row.className = "row";
      row.setAttribute("role", "row");
      row.dataset.rank = board.ranks[from / this.files];
      row.append(...this.cells.slice(from, from + this.files));
      rows.push(row);
    }
    this.grid.replaceChildren(this.drawing, ...rows);
    this.at = Math.max(0, this.names.indexOf(name));
    this.cells[this.at].tabIndex = 0;
    this.zoomed = false;
    this.fit();
    if (had) this.focus();
  }

  /** Give the squares whole pixels, as large as there is room for. */
  fit() {
    if (!this.files) return;
    const wide = this.root.clientWidth - 22;
    const high = Math.max(240, innerHeight - 150);
    this.small = Math.max(6, Math.floor(Math.min(wide / this.files, high / this.ranks, 150)));
    const side = this.zoomed ? ZOOMED : this.small;
    this.grid.style.setProperty("--cell", `${side}px`);
    this.grid.style.setProperty("--files", String(this.files));
    this.root.classList.toggle("zoomed", this.zoomed);
    this.root.style.setProperty("--high", `${this.small * this.ranks + 22}px`);
  }

  zoom(at) {
    this.zoomed = at !== null;
    this.fit();
    if (at !== null) this.cells[at].scrollIntoView({ block: "center", inline: "center" });
  }

  square(event) {
    const cell = document.elementFromPoint(event.clientX, event.clientY)?.closest?.("[data-at]");
    return cell && this.grid.contains(cell) ? Number(cell.dataset.at) : null;
  }

  clicked(event) {
    const cell = event.target.closest("[data-at]");
    if (!cell) return;
    if (this.dragged) {
      this.dragged = false;
      return;
    }
    this.choose(Number(cell.dataset.at), event.detail > 0 && this.touch);
  }

  choose(at, touched) {
    if (touched && this.small < FINGER && !this.zoomed) {
      this.zoom(at); // the first tap magnifies, the second picks
      return;
    }
    if (this.zoomed) this.zoom(null);
    this.tap(at);
  }

  pointerdown(event) {
    this.touch = event.pointerType === "touch";
    this.dragged = false;
    this.from = event.button === 0 && !(this.touch && this.small < FINGER) ? this.square(event) : null;
    this.start = [event.clientX, event.clientY];
    this.last = null;
  }

  pointermove(event) {
    if (this.from === null || this.from === undefined) return;
    const [x, y] = this.start;
    if (this.last === null && Math.hypot(event.clientX - x, event.clientY - y) < DRAGGED) return;
    if (this.last === null) {
      if (!this.marks.choices.has(this.from)) {
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
    this.over?.classList.remove("over");
    this.over = this.cells[over];
    this.over.classList.add("over");
    if (this.paints && this.marks.choices.has(over)) this.tap(over);
  }

  pointerup(event) {
    const to = this.dragged ? this.square(event) : null;
    this.over?.classList.remove("over");
    if (to !== null && to !== this.from && !this.paints) this.tap(to);
    this.from = null;
  }

  pointercancel() {
    this.over?.classList.remove("over");
    this.from = null;
  }

  focused(event) {
    const at = Number(event.target.dataset?.at);
    if (Number.isNaN(at)) return;
    this.cells[this.at].tabIndex = -1;
    this.at = at;
    this.cells[at].tabIndex = 0;
  }

  pressed(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const row = this.at - (this.at % this.files);
    const last = this.cells.length - 1;
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
