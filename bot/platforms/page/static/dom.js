// Elements.

/**
 * Return an element; `on...` are its listeners, and what is false is left out.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string | boolean | ((event: any) => void)>} [attributes]
 * @param {(Node | string)[]} children
 */
export function make(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key.slice(2), value);
    else if (value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

/** Set an attribute, if it differs; false: it is left out. @param {Element} element @param {string} name @param {string | false} value */
export function attribute(element, name, value) {
  if (value === false) element.removeAttribute(name);
  else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** Return a button. @param {string} label @param {() => void} press */
export const button = (label, press, style = "plain") => make("button", { type: "button", class: style, onclick: press }, label);

/** Replace what a box holds; the focus stays at its place there, or goes to the board. @param {Element} box @param {HTMLElement[]} made */
export function fill(box, made) {
  const at = document.activeElement;
  const had = at ? [...box.children].indexOf(at) : -1;
  box.replaceChildren(...made);
  const same = made.find((each) => each.textContent && each.textContent === at?.textContent);
  if (had >= 0 && made.length) (same ?? made[Math.min(had, made.length - 1)]).focus();
  else if (had >= 0) focusBoard();
}

/** Whether a click on a link is followed here, without loading the page anew, and not in another tab. @param {MouseEvent} event */
export function opensHere(event) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return false;
  event.preventDefault();
  return true;
}

/** Put the keyboard on the board. */
export function focusBoard() {
  /** @type {HTMLElement | null} */ (document.querySelector(".board [tabindex='0']"))?.focus();
}

/** Show lines as paragraphs. @param {string[]} lines */
export const paragraphs = (lines) => lines.map((line) => make("p", {}, line));
