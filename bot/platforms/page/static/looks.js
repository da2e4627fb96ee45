// How squares look: drawings that all boards and bars of the page share, by key.

const SVG = "http://www.w3.org/2000/svg";

export const SIDE = 100; // of a square, in units of the drawing

/** Return an SVG element. @param {string} name @param {Record<string, string | number>} attributes */
export function drawing(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

/** Add looks of squares, by key. @param {Record<string, string>} looks */
export function learn(looks) {
  const shapes =
    document.querySelector(".shapes") ?? document.body.appendChild(drawing("svg", { class: "shapes", "aria-hidden": "true" }));
  for (const [key, svg] of Object.entries(looks)) {
    const text = `<svg xmlns="${SVG}"><symbol id="l${key}" viewBox="0 0 ${SIDE} ${SIDE}">${svg}</symbol></svg>`;
    const [symbol] = new DOMParser().parseFromString(text, "image/svg+xml").documentElement.children;
    shapes.append(document.importNode(symbol, true));
  }
}

/** Return a drawing of one look. @param {string} look */
export function swatch(look) {
  const made = drawing("svg", { class: "swatch", viewBox: `0 0 ${SIDE} ${SIDE}`, "aria-hidden": "true" });
  made.append(drawing("use", { href: `#l${look}` }));
  return made;
}
