// Where the page is open: in Telegram, in Discord, or in a browser of its own. Each proves in its way who reads; the first two
// say which colours they have, and hold the page in a frame that is spoken to by messages.

const KEPT = "klop.session";
const TRIES = 6;
const PATIENCE = 5000; // ms for an answer
const PROVING = 10000; // ms for one to a proof, about which a host may have to be asked
const SILENT = 1500; // ms after which the reader is told that there is no answer yet
const PAUSE = 5000; // ms between tries: Discord's proxy signs anew now and then

const hash = new URLSearchParams(location.hash.slice(1));
const query = new URLSearchParams(location.search);
const telegram = hash.get("tgWebAppData") ?? "";
const inTelegram = hash.has("tgWebAppVersion") || telegram !== "";
const inDiscord = query.has("frame_id") && query.has("instance_id");
const link = hash.get("link") ?? "";
let tint = parsed(hash.get("tgWebAppThemeParams"))?.bg_color ?? "";
let told = () => {};
let session = "";

// The fragment holds proofs of identity: it is read once.
if (location.hash) history.replaceState(null, "", location.pathname + location.search);

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

let proof = link ? { kind: "link", proof: link } : telegram ? { kind: "telegram", proof: telegram } : null;
if (!proof && inDiscord && !kept()) proof = { kind: "discord" };
let tries = TRIES;

/** Return the match that the address names. */
export const place = () => /^\/m\/([a-z0-9]{6})$/.exec(location.pathname)?.[1] ?? "";

/** The link of a host names a match, and perhaps a spectator's key; whether the reader may see it, the server decides. */
function aimed() {
  const start = new URLSearchParams(telegram).get("start_param") ?? query.get("custom_id") ?? "";
  const [, code = "", held = ""] = /^([a-z0-9]{6})(?:-(.*))?$/.exec(start) ?? [];
  return place() ? { code: place(), key: query.get("k") ?? "" } : { code, key: held };
}

/** Say what is wrong, as long as nothing else is shown; the words are in the page, as the server has not said any yet. */
function explain(why) {
  const line = document.querySelector("#trouble");
  if (line) line.textContent = line.dataset[why];
}

/** Connect: return the line and what is to be seen first. A proof of identity goes with it until it is used up. */
export async function connect(more = {}) {
  const asked = { ...aimed(), bearer: kept(), theme: theme(), locale: navigator.language ?? "", ...more };
  const body = JSON.stringify(proof ? { ...asked, bearer: "", proof } : asked);
  const silent = setTimeout(() => explain("wait"), SILENT);
  const signal = AbortSignal.timeout(proof ? PROVING : PATIENCE);
  const answer = await fetch("/w", { method: "POST", body, signal })
    .catch((failed) => {
      explain("offline");
      throw failed;
    })
    .finally(() => clearTimeout(silent));
  if (answer.status === 401 && proof) {
    explain("unproven");
    proof = await authorized().catch(() => null);
    return connect(more);
  }
  if (answer.status === 403 && proof) {
    explain("unproven");
    if (proof.kind === "discord" && !proof.proof && --tries) await new Promise((done) => setTimeout(done, PAUSE));
    else proof = null;
    return connect(more);
  }
  if (!answer.ok) {
    explain(answer.status === 429 ? "crowd" : "down");
    const wait = 1000 * Number(answer.headers.get("Retry-After") ?? 0) || 0;
    throw Object.assign(new Error(String(answer.status)), { wait });
  }
  const begun = await answer.json();
  if (begun.bearer) {
    keep(begun.bearer);
    proof = null;
  }
  return begun;
}

/** A session in a frame ends with the frame; one in a browser is kept for other tabs. */
function store() {
  return inTelegram || inDiscord ? sessionStorage : localStorage;
}

function keep(bearer) {
  session = bearer;
  try {
    store().setItem(KEPT, bearer);
  } catch {
    // a browser that keeps nothing: the session ends with the page
  }
}

function kept() {
  try {
    return session || (store().getItem(KEPT) ?? "");
  } catch {
    return session;
  }
}

/** Forget a session that is over. */
export function forget() {
  session = "";
  try {
    store().removeItem(KEPT);
  } catch {
    // nothing was kept
  }
}

// --- Telegram: events to the app or to the frame around ---------------------------------------------------------------

function say(eventType, eventData = null) {
  if (window.TelegramWebviewProxy) window.TelegramWebviewProxy.postEvent(eventType, JSON.stringify(eventData));
  else if (parent !== self) parent.postMessage(JSON.stringify({ eventType, eventData }), "https://web.telegram.org");
}

function heard(eventType, eventData) {
  if (eventType !== "theme_changed" || !eventData?.theme_params) return;
  tint = eventData.theme_params.bg_color ?? tint;
  told(theme());
}

function greetTelegram() {
  window.Telegram = { WebView: { receiveEvent: heard } };
  addEventListener("message", (event) => {
    if (event.source !== parent || !/^https:\/\/([a-z]+\.)?telegram\.org$/.test(event.origin)) return;
    const said = parsed(event.data);
    if (said) heard(said.eventType, said.eventData);
  });
  say("iframe_ready", { reload_supported: false });
  say("web_app_ready");
  say("web_app_expand");
  say("web_app_setup_swipe_behavior", { allow_vertical_swipe: false });
}

// --- Discord: a handshake with the client -----------------------------------------------------------------------------

const READY = 1500; // ms: after a reload the client may not say that it is ready
const CONSENT = 120000; // ms for the person to agree
const [application] = location.hostname.split(".");
let isReady = () => {};
const ready = new Promise((done) => (isReady = done));
const pending = new Map();

function tell(message) {
  (parent.opener ?? parent).postMessage(message, document.referrer ? new URL(document.referrer).origin : "*");
}

function greetDiscord() {
  addEventListener("message", ({ origin, data }) => {
    if (!/^https:\/\/(ptb\.|canary\.)?discord\.com$/.test(origin) || !Array.isArray(data) || data[0] !== 1) return;
    const { cmd, evt, nonce, data: said } = data[1] ?? {};
    if (cmd === "DISPATCH" && evt === "READY") isReady();
    pending.get(nonce)?.(evt === "ERROR" ? null : said);
    pending.delete(nonce);
  });
  tell([0, { v: 1, encoding: "json", client_id: application, frame_id: query.get("frame_id") }]);
}

/** Have the person agree that the bot may know who they are: return the proof of it, nothing if they do not. */
async function authorized() {
  await Promise.race([ready, new Promise((done) => setTimeout(done, READY))]);
  const nonce = crypto.randomUUID();
  const answer = new Promise((done) => {
    pending.set(nonce, done);
    setTimeout(done, CONSENT);
  });
  const args = { client_id: application, response_type: "code", state: "", prompt: "none", scope: ["identify"] };
  tell([1, { cmd: "AUTHORIZE", args, nonce }]);
  const code = (await answer)?.code;
  return code ? { kind: "discord", proof: code } : null;
}

// --- What differs from host to host -----------------------------------------------------------------------------------

const dark = matchMedia("(prefers-color-scheme: dark)");
const contrast = matchMedia("(prefers-contrast: more)");

/** Return the theme of boards that fits the reader's screen. */
export function theme() {
  if (contrast.matches) return "contrast";
  const [red, green, blue] = (tint.match(/[0-9a-f]{2}/gi) ?? []).map((part) => parseInt(part, 16));
  if (blue !== undefined) return 0.3 * red + 0.59 * green + 0.11 * blue < 128 ? "dark" : "light";
  return inDiscord || dark.matches ? "dark" : "light";
}

/** Call back with the theme now, and when it changes. */
export function onTheme(changed) {
  told = changed;
  for (const media of [dark, contrast]) media.addEventListener("change", () => changed(theme()));
}

/** A short buzz, where the device has one. */
export function haptic() {
  if (inTelegram) say("web_app_trigger_haptic_feedback", { type: "selection_change" });
  else navigator.vibrate?.(8);
}

if (inTelegram) greetTelegram();
if (inDiscord) greetDiscord();

/** The first answer: asked for before the rest of the page is loaded. */
export const begun = connect();
begun.catch(() => {}); // it is asked for again
