// Where the page is open: in a browser of its own. It proves who reads it, and follows the colours that the reader prefers.

const KEPT = "klop.session";

/** Return the bearer of the reader's session, or nothing; a one-time link in the address is used up. */
export async function session() {
  const link = new URLSearchParams(location.hash.slice(1)).get("link");
  if (link) {
    history.replaceState(null, "", location.pathname + location.search);
    return begin("link", link);
  }
  return kept();
}

async function begin(kind, proof) {
  const answer = await fetch("/session", { method: "POST", body: JSON.stringify({ kind, proof }) });
  if (!answer.ok) return kept();
  const { bearer } = await answer.json();
  try {
    localStorage.setItem(KEPT, bearer);
  } catch {
    // a browser that keeps nothing: the session ends with the page
  }
  return bearer;
}

function kept() {
  try {
    return localStorage.getItem(KEPT) ?? "";
  } catch {
    return "";
  }
}

/** Forget a session that is over. */
export function forget() {
  try {
    localStorage.removeItem(KEPT);
  } catch {
    // nothing was kept
  }
}

const dark = matchMedia("(prefers-color-scheme: dark)");
const contrast = matchMedia("(prefers-contrast: more)");

/** Return the theme of boards that fits the reader's screen. */
export function theme() {
  return contrast.matches ? "contrast" : dark.matches ? "dark" : "light";
}

/** Call back when the theme changes. */
export function onTheme(changed) {
  for (const query of [dark, contrast]) query.addEventListener("change", () => changed(theme()));
}

/** A short buzz, where the device has one. */
export function haptic() {
  navigator.vibrate?.(8);
}
