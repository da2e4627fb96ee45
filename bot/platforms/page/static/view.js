// The page as it is seen: its parts, and how a state is drawn into them.

/** @import { Act, State } from "./state.js" */

import { menuItems, offered, pickButtons } from "./actions.js";
import { aheadSaid, resting } from "./ahead.js";
import { Board } from "./board.js";
import { passOn } from "./cards.js";
import { fill, focusBoard, make, opensHere, paragraphs } from "./dom.js";
import { icon, iconButton } from "./icons.js";
import { Menu } from "./menu.js";
import { LobbyView, waitingFor } from "./lobby.js";
import { Moves } from "./moves.js";
import { NewGame } from "./newgame.js";
import { drawPlayers, tick } from "./players.js";
import { paused, stepped } from "./replay.js";
import { ReplayBar } from "./replaybar.js";
import { leftScene, promptOf, tapped } from "./selection.js";
import { Sheet } from "./sheet.js";
import { Speech } from "./speech.js";
import { atHome, here, menued, offers, typed, went, written } from "./state.js";

/** Where the panel is beside the board, as in view.css. */
const WIDE = "(min-width: 820px) and (min-height: 501px) and (min-aspect-ratio: 1), (min-width: 1200px)";

const NOTED = 800; // ms without a key after which a note is stored

export class View {
  /**
   * @param {HTMLElement} main
   * @param {State} state
   * @param {Act} act
   * @param {(key: string) => boolean} key
   */
  constructor(main, state, act, key) {
    this.main = main;
    this.state = state;
    this.act = act;
    this.written = state.note; // the note that was drawn
    this.link = ""; // that is shown to be passed on
    /** @type {number | undefined} */
    this.noting = undefined;
    this.board = new Board((square) => act(tapped, square), key);
    this.home = make("a", { class: "round", href: "/", onclick: (event) => opensHere(event) && act(went, "") }, icon("back"));
    this.closer = iconButton("close", "", () => act(leftScene));
    this.title = make("h1", { dir: "auto" });
    this.code = make("small", { class: "code" });
    this.watching = make("small", { class: "watching" });
    this.notice = make("p", { class: "state" });
    this.above = make("ul", { class: "chairs" });
    this.below = make("ul", { class: "chairs" });
    this.said = make("div", { class: "said" });
    this.buttons = make("div", { class: "buttons" });
    this.replay = new ReplayBar(act);
    this.status = make("div", { class: "status" });
    this.picks = make("div", { class: "picks" });
    this.invite = make("div", { class: "invite", hidden: true });
    this.lobby = new LobbyView(act);
    this.newGame = new NewGame(act);
    this.menu = new Menu(() => act(menued));
    this.typed = make("input", { id: "typed", autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: "400" });
    this.typedLabel = make("label", { for: "typed" });
    this.send = make("button");
    this.form = make("form", { class: "typed", onsubmit: (event) => this.submit(event) }, this.typedLabel, this.typed, this.send);
    this.sheet = new Sheet(act, this.form);
    this.moves = new Moves(act);
    const writes = { oninput: () => this.write(NOTED), onchange: () => this.write(0) };
    this.note = make("textarea", { id: "note", rows: "4", maxlength: "1000", ...writes });
    this.noteLabel = make("summary");
    this.notes = make("details", { class: "notes" }, this.noteLabel, this.note);
    this.table = make("div", { class: "table" });
    this.speech = new Speech((then, ms) => setTimeout(then, ms));
    this.wide = matchMedia(WIDE);
    this.parts = this.lay();
    document.addEventListener("keydown", (event) => this.pressed(event));
    const pause = (/** @type {Event} */ { target }) => this.state.auto && !/** @type {Element} */ (target).closest(".replay, .board") && act(paused);
    main.addEventListener("click", pause, true);
  }

  /** Return the parts of the page in their order: beside each other where there is room, else one below the other. */
  lay() {
    const title = make("div", { class: "title" }, this.title, this.code, this.watching);
    const header = make("header", {}, this.home, this.closer, title, this.notice);
    const field = make("div", { class: "field" }, this.board.root);
    const bar = make("div", { class: "bar" }, this.menu.root, this.status, this.picks);
    const dock = make("div", { class: "dock" }, this.sheet.root, bar);
    const play = make("div", { class: "play" }, this.above, field, this.below, this.said, this.invite, this.buttons);
    const side = make("aside", {}, this.notes);
    for (const part of [bar, side]) part.addEventListener("keydown", ({ key }) => key === "Escape" && focusBoard());
    const place = () => {
      if (this.wide.matches) side.prepend(this.moves.root, this.replay.root);
      else play.append(this.moves.root, this.replay.root);
      this.moves.current = 0; // it is scrolled to anew
      this.draw(this.state);
    };
    this.wide.addEventListener("change", place);
    place();
    this.table.append(play, dock, side);
    return [this.speech.polite, this.speech.urgent, header, this.lobby.root, this.newGame.root, this.table];
  }

  /** Draw a state. @param {State} state */
  draw(state) {
    this.state = state;
    document.body.classList.toggle("lost", state.lost);
    if (this.notice.textContent !== state.notice) this.notice.textContent = state.notice;
    if (state.loading) return;
    if (state.over) return this.drawEnd();
    if (!this.main.contains(this.title)) this.main.replaceChildren(...this.parts);
    this.label();
    this.drawTexts();
    const shown = here(state);
    this.lobby.draw(state);
    this.newGame.draw(state);
    this.drawInvite();
    this.board.draw(state);
    drawPlayers(this.above, this.below, state, performance.now());
    fill(this.picks, pickButtons(state, this.act));
    fill(this.buttons, offered(shown?.board && !state.scene ? [] : shown?.buttons, this.act));
    this.menu.draw(menuItems(state, this.act), state.words.menu);
    this.replay.draw(state);
    this.form.hidden = !state.typing;
    this.sheet.draw(state);
    this.moves.root.hidden = !!state.scene || !state.log.length;
    this.moves.draw(state);
    this.notes.hidden = state.note === null;
    if (state.note !== this.written && document.activeElement !== this.note) this.note.value = state.note ?? "";
    this.written = state.note;
  }

  /** Write the words of the page, which come with the first answer. */
  label() {
    const { words } = this.state;
    if (this.send.textContent === words.send) return;
    for (const [part, word] of /** @type {const} */ ([[this.home, words.games], [this.closer, words.close]])) {
      part.setAttribute("aria-label", word);
      part.title = word;
    }
    this.typedLabel.textContent = words.typed;
    this.send.textContent = words.send;
    this.noteLabel.textContent = words.note;
    this.note.setAttribute("aria-label", words.note);
  }

  drawTexts() {
    const { state } = this;
    const { words, look, scene, view, seated, code } = state;
    const [headline = words.games, ...lines] = here(state)?.lines ?? [];
    const title = here(state)?.title ?? headline;
    const after = view?.after ?? [];
    this.lobby.root.hidden = !atHome(state);
    this.table.hidden = atHome(state);
    this.main.classList.toggle("match", !scene && !!view?.board);
    const end = (!scene && view?.end) || null;
    this.main.dataset.outcome = end?.outcome ?? "";
    this.main.classList.toggle("ended", !!end);
    this.home.hidden = !!scene || !code || !seated;
    this.closer.hidden = !scene;
    this.title.textContent = title;
    this.title.title = title;
    this.code.textContent = code && !scene ? `#${code}` : "";
    this.watching.hidden = !state.watching || !!scene;
    this.watching.replaceChildren(icon("watching"), make("span", { class: "hidden" }, words.watching), String(state.watching));
    const waiting = waitingFor(state.lobby);
    document.title = view ? [view.pick && "•", view.title].filter(Boolean).join(" ") : `${waiting ? `(${waiting}) ` : ""}Klop`;
    if (view) document.body.dataset.turns = String(view.turns);
    const further = scene ? [] : view?.board ? after.slice(offers(state).text ? after.length : 1) : after;
    this.said.replaceChildren(...paragraphs(look ? [] : [...lines, ...further]));
    const prompt = look ? "" : [aheadSaid(state), promptOf(state)].filter(Boolean).join(" ");
    const how = [end?.why, end?.rating].filter(Boolean).join(" ");
    const told = end ? [end.result, how] : look || scene || (view && !view.board) ? [] : after.slice(0, 1);
    const turn = told.filter(Boolean).map((line) => make("p", { class: prompt && "hidden" }, line));
    this.status.replaceChildren(...turn, ...(prompt ? [make("p", { class: "prompt" }, prompt)] : []));
    if (resting(state) && !prompt && !look) this.status.append(make("p", { class: "faint" }, words.meanwhile));
  }

  /** The link of a match that waits for players. */
  drawInvite() {
    const { state } = this;
    const link = (state.view?.invites && state.view.share) || "";
    this.invite.hidden = !link || !!state.scene;
    if (link === this.link) return;
    this.link = link;
    const card = () => make("div", { class: "card" }, ...paragraphs([state.words["send-link"]]), passOn(link, state, this.act));
    this.invite.replaceChildren(...(link ? [card()] : []));
  }

  drawEnd() {
    const { words, over, seated } = this.state;
    const text = { match: words.missing, off: words.off }[over] ?? words.expired ?? this.main.dataset.expired;
    this.main.replaceChildren(make("h1", {}, document.title), make("p", { role: "alert" }, text ?? ""));
    if (seated && over !== "session") this.main.append(make("a", { href: "/" }, words.games));
  }

  /** Step by arrows, where they are of no other use. @param {KeyboardEvent} event */
  pressed(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const at = /** @type {Element | null} */ (event.target);
    if (!by || event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || at?.closest("input, textarea, .board, .chairs, .menu")) return;
    this.act(stepped, by);
  }

  /** Let the clocks go on. */
  tick() {
    this.lobby.tick(performance.now());
    tick(this.above, this.below, this.state, performance.now());
  }

  /** Have the note stored, once nothing was typed for so many ms. @param {number} after */
  write(after) {
    clearTimeout(this.noting);
    this.noting = setTimeout(() => this.act(written, this.note.value), after);
  }

  /** @param {SubmitEvent} event */
  submit(event) {
    event.preventDefault();
    const text = this.typed.value.trim();
    if (text) this.act(typed, text);
  }
}
