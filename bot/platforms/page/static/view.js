// The page as it is seen: its parts, and how a state is drawn into them.

/** @import { Panels } from "./panels.js" */
/** @import { Act, State } from "./state.js" */

import { offered, pickButtons } from "./actions.js";
import { aheadSaid, resting } from "./ahead.js";
import { Board } from "./board.js";
import { fill, focusBoard, make, opensHere, paragraphs } from "./dom.js";
import { icon, iconButton } from "./icons.js";
import { waitingFor } from "./matches.js";
import { drawPlayers, tick } from "./players.js";
import { paused, stepped } from "./replay.js";
import { leftScene, promptOf, tapped } from "./selection.js";
import { Speech } from "./speech.js";
import { atHome, here, offers, titleOf, went } from "./state.js";

const FEW = 2; // buttons that the action bar has room for

/** Where the panel is beside the board, as in view.css. */
const WIDE = "(min-width: 820px) and (min-height: 501px) and (min-aspect-ratio: 1), (min-width: 1200px)";

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
    this.status = make("div", { class: "status" });
    this.picks = make("div", { class: "picks" });
    this.menu = make("div", { class: "menu-root" });
    this.table = make("div", { class: "table" });
    this.speech = new Speech((then, ms) => setTimeout(then, ms));
    this.field = make("div", { class: "field" }, this.board.root);
    this.play = make("div", { class: "play" }, this.above, this.field, this.below, this.said, this.buttons);
    this.bar = make("div", { class: "bar" }, this.menu, this.status, this.picks);
    this.side = make("aside");
    this.replay = make("div", { class: "replay" }); // has its room from the first board on
    this.panels = /** @type {Panels | null} */ (null);
    this.loads = false; // whether the panels are being loaded
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
    for (const part of [this.bar, this.side]) part.addEventListener("keydown", ({ key }) => key === "Escape" && focusBoard());
    this.wide.addEventListener("change", () => this.place());
    this.table.append(this.play, make("div", { class: "dock" }, this.bar), this.side);
    this.place();
    return [this.speech.polite, this.speech.urgent, header, this.table];
  }

  /** Have the list of moves and the bar of positions beside the board where there is room. */
  place() {
    const wide = this.wide.matches;
    if (wide) this.side.prepend(this.replay);
    else this.play.append(this.replay);
    this.panels?.place(wide ? this.side : null);
    this.draw(this.state);
  }

  /** Load the panels, once something is shown; if that fails, the next change of the state tries again. */
  async load() {
    this.loads = true;
    try {
      const { Panels, styled } = await import("./panels.js");
      await styled();
      this.panels = new Panels(this.act, this.replay, this.menu);
      const { lobby, newGame, sheet, invite, notes } = this.panels;
      this.parts.splice(-1, 0, lobby.root, newGame.root);
      this.table.before(lobby.root, newGame.root);
      this.said.after(invite);
      this.bar.before(sheet.root);
      this.side.append(notes);
      this.place();
    } catch {
      this.loads = false;
    }
  }

  /** Draw a state. @param {State} state */
  draw(state) {
    this.state = state;
    document.body.classList.toggle("lost", state.lost);
    this.notice.hidden = !state.notice;
    if (this.notice.textContent !== state.notice) this.notice.textContent = state.notice;
    if (state.loading) return;
    if (state.over) return this.drawEnd();
    if (!this.main.contains(this.title)) this.main.replaceChildren(...this.parts);
    this.label();
    this.drawTexts();
    const shown = here(state);
    this.board.draw(state);
    drawPlayers(this.above, this.below, state, performance.now());
    const further = shown?.board && !state.scene ? [] : (shown?.buttons ?? []);
    const low = state.scene && !shown?.pick && further.length <= FEW ? further.length : 0; // so many go into the action bar
    const looking = state.look && (this.panels?.looking(state, state.look) ?? []);
    fill(this.picks, [...(looking ?? pickButtons(state, this.act)), ...offered(further.slice(0, low), this.act)]);
    fill(this.buttons, offered(further.slice(low), this.act));
    this.replay.hidden = !!state.scene || !state.view?.board;
    this.panels?.draw(state);
    if (!this.loads) void this.load();
  }

  /** Write the words of the page, which come with the first answer. */
  label() {
    const { words } = this.state;
    if (this.home.title === words.games) return;
    for (const [part, word] of /** @type {const} */ ([[this.home, words.games], [this.closer, words.close]])) {
      part.setAttribute("aria-label", word);
      part.title = word;
    }
  }

  drawTexts() {
    const { state } = this;
    const { words, look, scene, view, seated, code } = state;
    const [, ...lines] = here(state)?.lines ?? [];
    const game = titleOf(state) ?? words.games;
    const title = (!scene && view?.players) || game;
    const after = view?.after ?? [];
    this.table.hidden = atHome(state);
    this.main.classList.toggle("match", !scene && !!view?.board);
    const end = (!scene && view?.end) || null;
    this.main.dataset.outcome = end?.outcome ?? "";
    this.main.classList.toggle("ended", !!end);
    this.home.hidden = !!scene || !code || !seated;
    this.closer.hidden = !scene;
    this.title.textContent = title;
    this.title.title = title;
    this.code.textContent = code && !scene ? [title !== game && game, `#${code}`].filter(Boolean).join(" ") : "";
    this.watching.hidden = !state.watching || !!scene;
    this.watching.replaceChildren(icon("watching"), make("span", { class: "hidden" }, words.watching), String(state.watching));
    const waiting = waitingFor(state.lobby);
    document.title = view ? [view.pick && "•", view.players ? `${view.players} ·` : "", view.title].filter(Boolean).join(" ") : `${waiting ? `(${waiting}) ` : ""}Klop`;
    if (view) document.body.dataset.turns = String(view.turns);
    const further = scene ? [] : view?.board ? after.slice(offers(state).text ? after.length : 1) : after;
    this.said.replaceChildren(...paragraphs(look ? [] : [...lines, ...further]));
    const prompt = look ? "" : [aheadSaid(state), promptOf(state, true)].filter(Boolean).join(" ");
    const how = [end?.why, end?.rating].filter(Boolean).join(" ");
    const told = end ? [end.result, how] : look || scene || (view && !view.board) ? [] : after.slice(0, 1);
    const turn = told.filter(Boolean).map((line) => make("p", { class: prompt && "hidden" }, line));
    this.status.replaceChildren(...turn, ...(prompt ? [make("p", { class: "prompt" }, prompt)] : []));
    if (resting(state) && !prompt && !look) this.status.append(make("p", { class: "faint" }, words.meanwhile));
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
    this.panels?.lobby.tick(performance.now());
    tick(this.above, this.below, this.state, performance.now());
  }
}
