// A new game: ready-made ones first, then a form.

/** @import { Act, Change, State } from "./state.js" */

import { button, make } from "./dom.js";
import { iconButton } from "./icons.js";
import { change } from "./state.js";

/**
 * Something to choose: `picks` says how.
 * @typedef {object} Field
 * @property {keyof PageSetup} name
 * @property {string} word
 * @property {"one" | "list" | "switch"} picks
 * @property {PageChoice[]} choices
 * @property {string} value
 */

/**
 * What is chosen, without what goes neither with the game nor with the opponent.
 * @param {PageNew} offer
 * @param {PageSetup} setup
 * @returns {PageSetup}
 */
export function fitted(offer, setup) {
  const { game, preset, players } = rulesOf(offer, setup);
  const opponent = setup.opponent === "person" && !offer.people.length ? "friend" : (setup.opponent ?? "computer");
  const several = opponent === "computer" || opponent === "friend";
  return {
    game: game.value,
    preset: preset.value,
    opponent,
    clock: setup.clock || offer.clocks[0].value,
    ...(opponent === "computer" && { level: setup.level ?? 2 }),
    ...(opponent === "person" && { person: setup.person || offer.people[0].value }),
    ...(several && preset.players.length > 1 && { players }),
    ...(rates(preset, opponent, several ? players : 2) && { rated: !!setup.rated }),
  };
}

/** @param {PageNew} offer @param {PageSetup} setup */
function rulesOf(offer, setup) {
  const game = offer.games.find(({ value }) => value === setup.game) ?? offer.games[0];
  const preset = game.presets.find(({ value }) => value === setup.preset) ?? game.presets[0];
  const players = preset.players.find((count) => count === setup.players) ?? preset.players[0];
  return { game, preset, players };
}

/** @param {PagePreset} preset @param {string} opponent @param {number} players */
const rates = (preset, opponent, players) => !!preset.rates && opponent !== "computer" && players === 2;

/** Return what there is to choose. @param {PageNew} offer @param {PageSetup} setup one that fits @returns {Field[]} */
export function fields(offer, setup) {
  const { words, people } = offer;
  const { game, preset } = rulesOf(offer, setup);
  const opponents = ["computer", "friend", "open", ...(people.length ? ["person"] : [])];
  const named = (/** @type {string} */ value) => ({ value, label: words[value] });
  const counted = preset.players.map((count) => ({ value: String(count), label: String(count) }));
  /** @type {[keyof PageSetup, string, Field["picks"], PageChoice[]][]} */
  const all = [
    ["opponent", "opponent", "one", opponents.map(named)],
    ["person", "person", "list", people],
    ["level", "level", "list", offer.levels],
    ["game", "game", "one", offer.games],
    ["preset", "setting", "list", game.presets],
    ["players", "players", "list", counted],
    ["clock", "clock", "list", offer.clocks],
    ["rated", "rated", "switch", []],
  ];
  return all
    .filter(([name, , picks, choices]) => setup[name] !== undefined && (picks === "switch" || choices.length > 1 || name === "person"))
    .map(([name, word, picks, choices]) => ({ name, word: words[word], picks, choices, value: String(setup[name]) }));
}

/** What is said of the setting and the level that are chosen. @param {PageNew} offer @param {PageSetup} setup one that fits */
export function noteOf(offer, setup) {
  const { game, preset, players } = rulesOf(offer, setup);
  return [players === preset.players[0] && preset.note, game.weaker?.[setup.level ?? 0]].filter(Boolean).join(" ");
}

/** The form, with what was played last. @param {State} state @returns {Change} */
export const setUp = (state) =>
  change({ ...state, setup: state.offer && fitted(state.offer, state.offer.quick[0]?.setup ?? { game: "" }) });

/** No form. @param {State} state @returns {Change} */
export const unset = (state) => change({ ...state, setup: null });

/** Another choice. @param {State} state @param {keyof PageSetup} name @param {string | boolean} value @returns {Change} */
export function choose(state, name, value) {
  const { offer, setup } = state;
  const counts = name === "level" || name === "players";
  return change(offer && setup ? { ...state, setup: fitted(offer, { ...setup, [name]: counts ? Number(value) : value }) } : state);
}

/** The game begins. @param {State} state @param {PageSetup} setup @returns {Change} */
export const begun = (state, setup) =>
  change({ ...state, setup: null, notice: state.words.moving }, { ask: { do: "new", setup } });

export class NewGame {
  /** @param {Act} act */
  constructor(act) {
    this.act = act;
    this.offer = /** @type {PageNew | null} */ (null); // what is drawn
    this.drawn = "";
    this.title = make("h2", { id: "new-title" });
    this.closer = iconButton("close", "", () => act(unset));
    this.quick = make("div", { class: "quick", role: "group" });
    this.fields = make("div", { class: "fields" });
    this.note = make("p", { role: "status" });
    this.play = make("button", { class: "good" });
    this.form = make("form", { onsubmit: (event) => this.submit(event) }, this.fields, this.note, this.play);
    this.root = make("dialog", { class: "new", "aria-labelledby": "new-title", oncancel: (event) => this.cancel(event) });
    this.root.append(make("div", { class: "head" }, this.title, this.closer), this.quick, this.form);
    this.root.addEventListener("click", ({ target }) => target === this.root && act(unset)); // beside it
    this.setup = /** @type {PageSetup | null} */ (null);
  }

  /** @param {State} state */
  draw({ offer, setup, words }) {
    this.setup = setup;
    if (!setup || !offer) {
      if (this.root.open) this.root.close();
      return;
    }
    if (offer !== this.offer) this.label(offer, words.close);
    this.offer = offer;
    const shown = fields(offer, setup);
    const shape = JSON.stringify(shown.map(({ name, choices }) => [name, choices]));
    if (shape !== this.drawn) this.lay(shown);
    this.drawn = shape;
    const note = noteOf(offer, setup);
    if (this.note.textContent !== note) this.note.textContent = note; // a screen reader says it once
    for (const { name, picks, value } of shown) {
      const held = this.fields.querySelectorAll(`[name=${name}]`);
      for (const each of /** @type {NodeListOf<HTMLInputElement>} */ (held)) {
        if (picks === "one") each.checked = each.value === value;
        else if (picks === "switch") each.checked = value === "true";
        else each.value = value;
      }
    }
    if (!this.root.open) this.root.showModal();
  }

  /** @param {PageNew} offer @param {string} close */
  label(offer, close) {
    this.title.textContent = offer.words.new;
    this.play.textContent = offer.words.begin;
    this.closer.setAttribute("aria-label", close);
    this.quick.setAttribute("aria-label", offer.words.quick);
    this.quick.replaceChildren(make("p", {}, offer.words.quick), ...offer.quick.map(({ label, setup }) => button(label, () => this.act(begun, setup))));
  }

  /** Lay the form out; the keyboard stays on the field that it is on. @param {Field[]} shown */
  lay(shown) {
    const at = /** @type {HTMLInputElement | null} */ (document.activeElement);
    const [name, value] = this.fields.contains(at) && at ? [at.name, at.value] : [];
    this.fields.replaceChildren(...shown.map((field) => this.field(field)));
    const same = [.../** @type {NodeListOf<HTMLInputElement>} */ (this.fields.querySelectorAll(`[name=${name}]`))];
    (same.find((each) => each.type !== "radio" || each.value === value) ?? same[0])?.focus();
  }

  /** @param {Field} field */
  field({ name, word, picks, choices }) {
    const onchange = (/** @type {{ target: HTMLInputElement }} */ { target }) => this.act(choose, name, picks === "switch" ? target.checked : target.value);
    if (picks === "switch") return make("label", { class: "switch" }, make("input", { type: "checkbox", name, onchange }), word);
    if (picks === "list") {
      const options = choices.map(({ value, label }) => make("option", { value }, label));
      return make("label", {}, make("span", {}, word), make("select", { name, onchange }, ...options));
    }
    const radio = (/** @type {PageChoice} */ { value, label }) =>
      make("label", {}, make("input", { type: "radio", name, value, onchange }), make("span", {}, label));
    return make("fieldset", {}, make("legend", {}, word), ...choices.map(radio));
  }

  /** @param {SubmitEvent} event */
  submit(event) {
    event.preventDefault();
    if (this.setup) this.act(begun, this.setup);
  }

  /** @param {Event} event */
  cancel(event) {
    event.preventDefault();
    this.act(unset);
  }
}
