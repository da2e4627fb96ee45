// The list of matches as it is drawn: cards with small boards by what they wait for.

/** @import { Act, Lobby, LobbyCard, State } from "./state.js" */

import { offered } from "./actions.js";
import { drawCards, miniature } from "./cards.js";
import { make, opensHere } from "./dom.js";
import { icon } from "./icons.js";
import { labelOf } from "./matches.js";
import { clock } from "./players.js";
import { setUp } from "./newgame.js";
import { atHome, pressed, went } from "./state.js";

const HURRY = 3600; // s: a clock with less stands out

/** @type {Record<string, string>} the heading under which a kind of cards stands, if it is not its own */
const HEADS = { puzzle: "today", lesson: "today", seek: "today", event: "today" };

/** The cards in their order, under their headings. @param {Lobby} lobby */
export function sections({ order, cards }) {
  /** @type {Map<string, LobbyCard[]>} */
  const found = new Map();
  for (const card of order.map((id) => cards[id])) {
    const head = HEADS[card.kind] ?? card.kind;
    found.set(head, [...(found.get(head) ?? []), card]);
  }
  return found;
}

/** Have an element hold others, in this order; those that are there already stay. @param {Element} box @param {Element[]} wanted */
function arrange(box, wanted) {
  for (const old of [...box.children]) if (!wanted.includes(old)) old.remove();
  wanted.forEach((each, at) => box.children[at] !== each && box.insertBefore(each, box.children[at] ?? null));
}

export class LobbyView {
  /** @param {Act} act */
  constructor(act) {
    this.act = act;
    this.answered = /** @type {object | null} */ (null); // the answers that are drawn
    /** @type {Map<string, { card: LobbyCard, root: HTMLElement }>} */
    this.cards = new Map();
    /** @type {Map<string, { root: HTMLElement, list: HTMLElement }>} */
    this.sections = new Map();
    this.begin = make("button", { type: "button", class: "good begin", onclick: () => act(setUp) });
    this.none = make("p", { class: "none" });
    this.due = make("p", { class: "none" });
    this.answers = make("section", { class: "cards" });
    this.list = make("div");
    this.root = make("div", { class: "matches" }, this.begin, this.answers, this.none, this.due, this.list);
  }

  /** Draw what has changed; the keyboard stays where it is. @param {State} state */
  draw(state) {
    const { lobby, offer, cards, words } = state;
    if (!lobby || !offer || !atHome(state)) return;
    const at = /** @type {HTMLElement | null} */ (document.activeElement);
    const had = this.list.contains(at) ? at?.dataset.key : undefined;
    if (this.begin.textContent !== offer.words.new) this.begin.replaceChildren(icon("plus"), offer.words.new);
    this.answers.hidden = !cards.shown.length;
    this.answers.setAttribute("aria-label", words.answers);
    if (cards !== this.answered) drawCards(this.answers, state, this.act);
    this.answered = cards;
    const found = sections(lobby);
    this.none.textContent = lobby.order.some((id) => lobby.cards[id].code) ? "" : offer.words["lobby.none"];
    this.due.textContent = lobby.due ?? "";
    arrange(this.list, [...found].map(([head, held]) => this.section(head, held, offer.words)));
    for (const id of this.cards.keys()) if (!lobby.cards[id]) this.cards.delete(id);
    if (had === undefined || this.list.contains(document.activeElement)) return;
    const again = [...this.list.querySelectorAll("[data-key]")].find((each) => /** @type {HTMLElement} */ (each).dataset.key === had);
    /** @type {HTMLElement} */ (again ?? this.begin).focus();
  }

  /** @param {string} head @param {LobbyCard[]} cards @param {Record<string, string>} words */
  section(head, cards, words) {
    const title = words[`lobby.${head}`];
    let known = this.sections.get(head);
    if (!known) {
      const list = make("ul");
      known = { root: make("section", { "aria-label": title, class: head }, make("h2", {}, title), list), list };
      this.sections.set(head, known);
    }
    arrange(known.list, cards.map((card) => this.card(card, title)));
    return known.root;
  }

  /** @param {LobbyCard} card @param {string} heading what stands above it */
  card(card, heading) {
    const known = this.cards.get(card.id);
    if (known?.card === card) return known.root;
    const root = known?.root ?? make("li");
    const { title, state, about, board, kind, buttons } = card;
    const texts = make("div", { class: "texts" }, this.opener(card));
    if (state && state !== heading) texts.append(make("p", { dir: "auto" }, state));
    if (about) texts.append(make("p", { class: "about", dir: "auto" }, about));
    if (card.clock) texts.append(make("time", { class: "clock" }));
    if (buttons?.length) texts.append(make("div", { class: "buttons" }, ...offered(buttons, this.act)));
    texts.querySelectorAll("button").forEach((each, at) => {
      each.dataset.key ??= `${card.id} ${at}`;
      if (each.dataset.key !== card.id) each.setAttribute("aria-label", `${each.textContent}: ${title}`);
    });
    root.replaceChildren(make("div", { class: "small" }, board ? miniature(board) : icon(kind === "event" ? "cup" : "open")), texts);
    this.cards.set(card.id, { card, root });
    this.tell(card, root, performance.now());
    return root;
  }

  /** Return what a tap on a card is: it lies over all of it. @param {LobbyCard} card */
  opener(card) {
    const { id, title, go, press } = card;
    const told = { class: "opener", "data-key": id, "aria-label": labelOf(card), dir: "auto" };
    if (press) return make("button", { ...told, type: "button", onclick: () => this.act(pressed, press) }, title);
    if (!go) return make("b", { dir: "auto" }, title);
    return make("a", { ...told, href: `/m/${go}`, onclick: (event) => opensHere(event) && this.act(went, go) }, title);
  }

  /** @param {LobbyCard} card @param {HTMLElement} root @param {number} now */
  tell(card, root, now) {
    const shown = root.querySelector("time");
    if (!shown || !card.clock) return;
    shown.textContent = clock(card.at, card.clock, now);
    shown.classList.toggle("hurry", card.kind === "turn" && card.clock.left < HURRY);
  }

  /** Let the clocks go on. @param {number} now */
  tick(now) {
    if (document.hidden) return;
    for (const { card, root } of this.cards.values()) if (card.clock?.runs) this.tell(card, root, now);
  }
}
