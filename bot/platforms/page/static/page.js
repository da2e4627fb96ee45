// The page: shows what the server says, and gathers a half-made move, which the server then plays. It knows no game and no
// language: steps, boards and words come from the server.

import { Board, learn, swatch } from "./board.js";
import { begun, connect, forget, haptic, onTheme, place, theme } from "./host.js";
import { Wire } from "./wire.js";

const main = document.querySelector("#page");
const letters = "klop.letters";

let words = {};
let view = null; // the match as it is
let log = [];
let look = null; // the position that is looked at, where it is not the present one
let scene = null; // a card whose board is shown in place of the match: a puzzle, a hint, a line that is tried
let watching = 0;
let seated = false;
let stack = []; // what is picked: a state for each step back
let taps = new Set(); // touched squares of a step that covers several
let sending = false;
let code = place();
let flipped = false;
let clocked = 0; // when the clocks were told
let asked = new Map(); // what each request is about

const parts = {};
const board = new Board(tapped, keyed);
const wire = new Wire(opened, hear, connected);

let first = begun;

/** Connect; the first time, host.js has done it already. */
async function opened() {
  const now = first ?? connect({ code, r: view?.r ?? 0, flip: flipped });
  first = null;
  const found = await now;
  if (found.code && found.code !== code) {
    code = found.code;
    history.replaceState(null, "", `/m/${code}${location.search}`);
  }
  return found;
}

function make(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

/** Replace what a box holds; the focus stays at its place there, or goes to the board. */
function fill(box, ...made) {
  const had = [...box.children].indexOf(document.activeElement);
  box.replaceChildren(...made);
  if (had >= 0) made.length ? made[Math.min(had, made.length - 1)].focus() : board.focus();
}

function button(label, press, style = "plain") {
  return make("button", { type: "button", class: style, onclick: press }, label);
}

// --- The server ---------------------------------------------------------------------------------------------------

function ask(what, about) {
  asked.set(wire.ask({ seen: view?.r ?? 0, ...what }), about);
}

function connected(state) {
  document.body.classList.toggle("lost", state === "lost");
  if (state === "lost" && words.reconnecting) parts.state.textContent = words.reconnecting;
  else if (parts.state) parts.state.textContent = "";
}

function hear(frame) {
  if (frame.looks) learn(frame.looks);
  if (frame.hello) greet(frame.hello);
  if (frame.watching !== undefined) {
    watching = frame.watching;
    roster();
  }
  if (frame.log) log = [...log.slice(0, frame.log_from), ...frame.log];
  if (frame.view) show(frame.view);
  const about = asked.get(frame.re);
  asked.delete(frame.re);
  if (frame.pick) extend(frame.pick, about);
  if (frame.look) {
    look = frame.look;
    draw();
    say(look.said);
  }
  if (about === "note") parts.state.textContent = words.noted;
  if (frame.bar && parts.state) parts.state.textContent = frame.bar;
  if (frame.cards) answered(frame, about);
  if (frame.go) go(frame.go);
  if (frame.over) end(frame.over);
}

function greet(hello) {
  words = hello.words;
  seated = hello.seated;
  board.words = words;
  document.documentElement.lang = hello.language;
  if (!parts.status) build();
  if (!code) parts.title.textContent = document.title = words.games;
  main.classList.toggle("home", !code);
  parts.notes.hidden = hello.note === undefined;
  if (document.activeElement !== parts.note) parts.note.value = hello.note ?? "";
  parts.cards.replaceChildren();
}

function end(why) {
  if (why === "busy") return;
  if (why === "session") forget();
  const text = { match: words.missing, off: words.off }[why] ?? words.expired;
  main.replaceChildren(make("h1", {}, document.title), make("p", { role: "alert" }, text ?? main.dataset.expired ?? ""));
  if (seated && why !== "session") main.append(make("a", { href: "/" }, words.games));
}

function go(to) {
  history.pushState(null, "", to ? `/m/${to}` : "/");
  move();
}

function move() {
  code = place();
  view = scene = null;
  if (parts.state) parts.state.textContent = "";
  log = [];
  clear();
  wire.stop();
  wire.open();
}

// --- The match ----------------------------------------------------------------------------------------------------

function show(next) {
  const before = view;
  view = next = { after: [], chairs: [], ...next };
  clocked = performance.now();
  sending = false;
  if (!before || (!scene && (before.turns !== next.turns || !next.pick))) clear();
  if (before && before.turns !== next.turns) {
    look = null;
    if (!scene?.on) scene = null;
    say([...next.lines.slice(1), ...next.after].join(" "));
    haptic();
  }
  document.title = next.pick ? `• ${next.lines[0]}` : next.lines[0];
  if (!before) parts.cards.replaceChildren();
  document.body.dataset.turns = next.turns ?? 0;
  draw();
}

function clear() {
  stack = [];
  taps = new Set();
  look = null;
}

const here = () => scene ?? view;
const root = () => ({ at: "", node: null, squares: [], board: null, said: "", plies: false, ...here().pick });
const top = () => stack.at(-1) ?? (here()?.pick ? root() : null);
const on = () => (scene ? { on: scene.on } : {});

/** Whether the squares of a step are touched one by one. */
function several(node) {
  return !!node?.steps?.some((step) => step[1] === "cells" && step[2].length > 1);
}

function open(node) {
  const steps = node?.steps ?? [];
  if (!several(node)) return steps;
  return steps.filter((step) => step[2].length && [...taps].every((square) => step[2].includes(square)));
}

function tapped(square) {
  if (look) {
    look = null;
    draw();
    return;
  }
  const now = top();
  if (now?.early) return now.early.push(square);
  if (!now || sending || !now.node) return hint();
  haptic();
  if (several(now.node)) {
    const had = taps.has(square);
    taps = new Set(had ? [...taps].filter((each) => each !== square) : [...taps, square]);
    let fits = open(now.node);
    if (!had && !fits.length) {
      taps = new Set([square]);
      fits = open(now.node);
      if (!fits.length) taps = new Set();
    }
    if (!had && fits.length === 1) return choose(fits[0]);
    if (!had && !taps.size) hint();
    return draw();
  }
  const step = now.node.steps.find((each) => each[1] !== "nothing" && each[2].length === 1 && each[2][0] === square);
  if (step) return choose(step);
  if (now.squares.at(-1) === square) return undo();
  const begun = stack.findLastIndex((each) => each.whole);
  const from = begun < 0 ? root() : stack[begun];
  const other = from.node?.steps?.find((each) => each[1] === "piece" && each[2].length === 1 && each[2][0] === square);
  if (!other) return hint();
  stack = stack.slice(0, begun + 1);
  choose(other);
}

function join(at, path) {
  return at === "" || at.endsWith(";") ? at + path : `${at}/${path}`;
}

function choose([path, , squares, label, after]) {
  const now = top();
  const next = { ...now, at: join(now.at, path), node: after === true ? null : after, squares: [...now.squares, ...squares] };
  next.said = [now.plies && now.said, label].filter(Boolean).join(" ");
  next.whole = false;
  taps = new Set();
  stack.push(next);
  if (after === null && !here().pick.gathers) play();
  else {
    if (!next.node) next.early = []; // squares tapped before the server has said what comes next
    ask({ do: "pick", text: next.at, ...on() }, next);
  }
  draw();
  if (after && after !== true) say(after.prompt);
}

/** A half-made move as the server sees it: the board with it, and the next steps. */
function extend(pick, about) {
  const at = stack.indexOf(about);
  if (at < 0) return;
  const ply = pick.plies && pick.at.endsWith(";");
  stack[at] = {
    at: pick.at,
    node: pick.node ?? null,
    squares: ply ? [] : about.squares,
    board: pick.board,
    said: pick.said || about.said,
    plies: !!pick.plies,
    whole: ply,
  };
  if (ply && about.at !== pick.at) {
    // One step back takes back the whole ply.
    const begun = stack.slice(0, at).findLastIndex((each) => each.whole);
    stack = [...stack.slice(0, begun + 1), ...stack.slice(at)];
  }
  draw();
  say([pick.said, pick.node?.prompt].filter(Boolean).join(" "));
  about.early?.forEach(tapped);
  if (!pick.node && here().pick.at_once && at === stack.length - 1) play();
}

function undo() {
  if (taps.size) taps = new Set([...taps].slice(0, -1));
  else if (stack.length) stack.pop();
  else if (scene?.back) attempt(scene.back);
  draw();
  say(prompt());
}

function play() {
  if (sending || !stack.length) return;
  sending = true;
  ask({ do: "play", text: top().at, ...on() }, "play");
  draw();
}

/** Try other moves from some position on, beside the match. */
function attempt(line) {
  ask({ do: "try", text: line });
}

function close() {
  scene = null;
  clear();
  parts.cards.replaceChildren();
  if (view) draw();
  else move();
}

function press(data) {
  ask({ do: "press", text: data }, "press");
}

function answered(frame, about) {
  sending = false;
  if (about?.early) about.early = null;
  parts.state.textContent = "";
  const refused = frame.cards.some((card) => card.refused);
  const next = frame.cards.find((card) => card.board);
  if (next || (refused && about === "play")) clear();
  if (about === "type" && !refused) {
    parts.typed.value = "";
    board.focus();
  }
  if (next) {
    scene = next;
    say([...next.lines, prompt()].join(" "));
  }
  cards(frame.cards.filter((card) => card !== next), about);
  draw();
}

function hint() {
  say(here()?.pick ? prompt() || words.nothing : view?.after.join(" ") || words.nothing);
}

function prompt() {
  const now = top();
  if (sending) return words.moving;
  return now ? [now.said, now.node?.prompt].filter(Boolean).join(" — ") : "";
}

// --- What is seen -------------------------------------------------------------------------------------------------

function build() {
  parts.title = make("h1");
  parts.state = make("p", { class: "state", role: "status" });
  parts.said = make("div", { class: "said" });
  parts.chairs = make("ul", { class: "chairs" });
  parts.status = make("div", { class: "status" });
  parts.picks = make("div", { class: "buttons" });
  parts.buttons = make("div", { class: "buttons" });
  parts.cards = make("section", { class: "cards", "aria-label": words.answers });
  parts.live = make("div", { class: "hidden", "aria-live": "polite" });
  parts.alert = make("div", { class: "hidden", role: "alert" });
  parts.list = make("ol");
  parts.moves = make("details", { class: "log", ontoggle: listed }, make("summary", {}, words.log), parts.list);
  parts.typed = make("input", { id: "typed", autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: "400" });
  parts.form = make(
    "form",
    { class: "typed", onsubmit: typed },
    make("label", { for: "typed" }, words.typed),
    parts.typed,
    make("button", {}, words.send),
  );
  parts.tools = make("div", { class: "buttons tools" });
  parts.note = make("textarea", { id: "note", rows: "4", maxlength: "1000", oninput: () => noting(800), onchange: () => noting(0) });
  parts.notes = make("details", { class: "notes" }, make("summary", {}, words.note), parts.note);
  parts.note.setAttribute("aria-label", words.note);
  parts.side = make(
    "aside",
    {},
    ...[parts.status, parts.picks, parts.chairs, parts.said, parts.buttons, parts.cards, parts.form, parts.tools, parts.moves, parts.notes],
  );
  parts.side.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    if (parts.cards.contains(document.activeElement)) dismiss();
    board.focus();
  });
  main.replaceChildren(make("header", {}, parts.title, parts.state), make("div", { class: "table" }, board.root, parts.side), parts.live, parts.alert);
}

function draw() {
  if (!here()) return;
  const now = top();
  const [title, ...lines] = here().lines;
  main.classList.toggle("home", !code && !scene);
  parts.title.textContent = title;
  parts.said.replaceChildren(...(look ? [look.said] : lines).map((line) => make("p", {}, line)));
  parts.status.replaceChildren(...(scene || (now?.said && !look) ? [] : view.after).map((line) => make("p", {}, line)));
  const asks = look ? "" : prompt();
  if (asks) parts.status.append(make("p", { class: "prompt" }, asks));
  roster();
  const shown = look?.board ?? now?.board ?? here().board;
  board.root.hidden = !shown;
  if (shown) {
    board.show(shown, [words.board, title].join(": "));
    const choices = !look && now && !sending ? open(now.node).flatMap((step) => step[2]) : [];
    board.paints = several(now?.node);
    board.mark(new Set(look ? [] : [...(now?.squares ?? []), ...taps]), new Set(choices), !!now?.board && !taps.size);
  }
  const named = ([, picks, squares]) => picks === "nothing" || !squares.length || (taps.size > 1 && squares.length > 1);
  const steps = look || sending ? [] : open(now?.node).filter(named);
  fill(
    parts.picks,
    ...(now?.plies && here().pick.gathers && !here().pick.at_once && !look ? [button(words.play, play, "good")] : []),
    ...steps.map((step) => button(step[3], () => choose(step))),
    ...((stack.length || taps.size || scene?.back) && !look && !sending ? [button(words.back, undo)] : []),
  );
  fill(parts.buttons, ...buttons(here()));
  parts.form.hidden = !here().pick;
  parts.moves.hidden = !!scene || !log.length;
  tools();
  listed();
}

function tools() {
  const made = [];
  if (scene) made.push(button(words.close, close));
  else {
    if (log.length && look?.at !== 0) made.push(button(`◂ ${words.earlier}`, () => step(-1)));
    if (look) made.push(button(`${words.later} ▸`, () => step(1)), button(words.now, () => step(Infinity), "good"));
    if (view.tries) made.push(button(words["what-if"], () => attempt(`~${look?.at ?? log.length}~`)));
    if (view.board) made.push(button(words.flip, flip));
    if (view.share) made.push(button(words.share, share));
    if (seated) made.push(button(words.games, () => go("")));
  }
  made.push(button(words.help, help));
  fill(parts.tools, ...made);
}

function roster() {
  if (!parts.chairs) return;
  parts.chairs.hidden = !view || !!scene;
  if (!view) return;
  const lines = view.chairs.map((chair) => {
    const line = make("li", { class: chair.turn ? "turn" : "", "aria-current": chair.turn ? "true" : false });
    if (chair.look) line.append(swatch(chair.look));
    line.append(make("span", { class: chair.mine ? "mine" : "" }, chair.text));
    if (chair.left !== undefined) line.append(make("time", { class: "clock" }, clock(chair)));
    return line;
  });
  if (watching) lines.push(make("li", { class: "watching" }, `${words.watching}: ${watching}`));
  parts.chairs.replaceChildren(...lines);
}

function clock(chair) {
  const left = Math.max(0, chair.left - (chair.runs ? (performance.now() - clocked) / 1000 : 0));
  if (chair.clock && left > 86400) return chair.clock;
  const two = (number) => String(Math.floor(number)).padStart(2, "0");
  return left >= 3600 ? `${Math.floor(left / 3600)}:${two((left % 3600) / 60)}:${two(left % 60)}` : `${Math.floor(left / 60)}:${two(left % 60)}`;
}

setInterval(() => {
  if (!view || document.hidden || !view.chairs.some((chair) => chair.runs)) return;
  parts.chairs.querySelectorAll(".clock").forEach((shown, at) => {
    shown.textContent = clock(view.chairs.filter((chair) => chair.left !== undefined)[at]);
  });
}, 1000);

function listed() {
  if (!parts.moves.open || !view) return;
  const at = look?.at ?? log.length;
  log.forEach(([seat, text], index) => {
    let line = parts.list.children[index];
    if (!line) {
      line = make("li", {}, make("button", { type: "button", onclick: () => goto(index + 1) }));
      parts.list.append(line);
    }
    const shown = line.firstChild;
    const chair = view.chairs[seat];
    if (shown.dataset.text !== text) {
      shown.replaceChildren(...(chair?.look ? [swatch(chair.look)] : []), text);
      shown.dataset.text = text;
    }
    shown.classList.toggle("current", index + 1 === at);
  });
  while (parts.list.children.length > log.length) parts.list.lastChild.remove();
}

function goto(at) {
  if (at >= log.length) {
    look = null;
    draw();
    say(view.after.join(" "));
  } else ask({ do: "look", text: String(Math.max(0, at)) });
}

function step(by) {
  goto((look?.at ?? log.length) + by);
}

const buttons = (shown) => (shown.buttons ?? []).map((each) => button(each.label, () => press(each.data), each.style));

function cards(shown, about) {
  const had = parts.cards.contains(document.activeElement);
  if (!shown.length) return dismiss();
  const made = shown.map((card) => {
    const box = make("div", { class: card.refused ? "card refused" : "card" });
    const known = card.refused || !view ? [] : [view.lines[0], ...view.after];
    box.append(...card.lines.filter((line) => !known.includes(line)).map((line) => make("p", {}, line)));
    for (const [name, bytes] of card.files ?? []) {
      const href = URL.createObjectURL(new Blob([Uint8Array.from(atob(bytes), (each) => each.charCodeAt(0))]));
      box.append(make("a", { href, download: name }, words.download.replace("{name}", name)));
    }
    if (card.buttons?.length) box.append(make("div", { class: "buttons" }, ...buttons(card)));
    return box;
  });
  if (view) made.push(button(words.close, dismiss));
  else if (about) made.push(button(words.games, move)); // not under the list of matches itself
  parts.cards.replaceChildren(...made);
  if (had) parts.cards.querySelector("button")?.focus();
  parts.cards.scrollIntoView?.({ block: "nearest" });
  const text = shown.flatMap((card) => card.lines).join(" ");
  if (shown.some((card) => card.refused)) parts.alert.textContent = text;
  else say(text);
}

/** Take the answers away. */
function dismiss() {
  const had = parts.cards.contains(document.activeElement);
  parts.cards.replaceChildren();
  if (had) board.focus();
}

function say(text) {
  if (parts.live) parts.live.textContent = text;
}

// --- What the reader does -----------------------------------------------------------------------------------------

let noted;

/** Have the note stored, once nothing was typed for so many ms. */
function noting(after) {
  clearTimeout(noted);
  noted = setTimeout(() => ask({ do: "note", text: parts.note.value }, "note"), after);
}

function typed(event) {
  event.preventDefault();
  const text = parts.typed.value.trim();
  if (!text) return;
  ask({ do: "type", text, ...on() }, "type");
}

function flip() {
  flipped = !flipped;
  ask({ do: "flip" });
}

async function share() {
  try {
    await navigator.clipboard.writeText(view.share);
    say(words.copied);
    parts.state.textContent = words.copied;
  } catch {
    cards([{ lines: [view.share] }]);
  }
}

function silent() {
  try {
    return localStorage.getItem(letters) === "off";
  } catch {
    return false;
  }
}

function help() {
  cards([{ lines: [words.keys] }]);
  const off = silent();
  const turn = () => {
    try {
      localStorage.setItem(letters, off ? "on" : "off");
    } catch {
      // a browser that keeps nothing
    }
    help();
  };
  parts.cards.firstChild.append(button(off ? words["keys-on"] : words["keys-off"], turn));
}

const own = () => view.chairs.map((chair) => [chair.text, chair.left !== undefined && clock(chair)].filter(Boolean).join(", "));

const does = {
  m: () => {
    const now = top();
    const squares = new Set(now ? open(now.node).flatMap((each) => each[2]) : []);
    say(squares.size ? `${words.moves}: ${[...squares].map((at) => board.names[at]).join(", ")}` : words.nothing);
  },
  l: () => say(view.lines.slice(1).join(" ")),
  c: () => say(own().join("; ") + ". " + view.after.join(" ")),
  o: () => say(view.chairs.map((chair) => chair.text).join("; ")),
  p: () => say(here().board?.alt ?? ""),
  f: flip,
  t: () => parts.typed.focus(),
  w: () => view.tries && !scene && attempt(`~${look?.at ?? log.length}~`),
  n: () => {
    if (parts.notes.hidden) return;
    parts.notes.open = true;
    parts.note.focus();
  },
  "?": () => help(),
  "[": () => step(-1),
  "]": () => step(1),
};

function keyed(key) {
  if (key === "Escape" || key === "Backspace") {
    if (look) step(Infinity);
    else if (stack.length || taps.size || scene?.back) undo();
    else if (parts.cards.firstChild && view) dismiss();
    else if (scene) close();
    return true;
  }
  if (!(key in does) || silent() || (!view && key !== "m" && key !== "p")) return false;
  does[key]();
  return true;
}

addEventListener("popstate", move);
addEventListener("online", () => wire.open());
function dress(name) {
  document.documentElement.dataset.theme = name;
}

onTheme((name) => {
  dress(name);
  if (words.help) ask({ do: "theme", text: name });
});

dress(theme());
wire.open();
