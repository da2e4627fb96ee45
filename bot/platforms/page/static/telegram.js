// Telegram: events to the app, or to the frame around the page.

/** @typedef {{ theme_params?: { bg_color?: string } } & Record<string, unknown> | null | undefined} TelegramEvent */

const SIDES = ["top", "right", "bottom", "left"];

export class Telegram {
  /** @param {URLSearchParams} hash the fragment of the address */
  constructor(hash) {
    this.data = hash.get("tgWebAppData") ?? ""; // proves who reads
    this.open = hash.has("tgWebAppVersion") || this.data !== "";
    this.tint = parsed(hash.get("tgWebAppThemeParams"))?.bg_color ?? ""; // the colour of the background
    this.start = new URLSearchParams(this.data).get("start_param");
    /** @type {Record<string, Record<string, unknown>>} */
    this.areas = {}; // what its bars and its buttons lie over
    this.tinted = () => {}; // is called when the colour changes
  }

  /** Say that the page is there. */
  greet() {
    const heard = (/** @type {string} */ kind, /** @type {TelegramEvent} */ data) => this.heard(kind, data);
    Object.assign(window, { Telegram: { WebView: { receiveEvent: heard } } });
    addEventListener("message", (event) => {
      if (event.source !== parent || !/^https:\/\/([a-z]+\.)?telegram\.org$/.test(event.origin)) return;
      const said = parsed(event.data);
      if (said) heard(said.eventType, said.eventData);
    });
    this.say("iframe_ready", { reload_supported: false });
    this.say("web_app_ready");
    this.say("web_app_expand");
    this.say("web_app_setup_swipe_behavior", { allow_vertical_swipe: false });
    this.say("web_app_request_safe_area");
    this.say("web_app_request_content_safe_area");
  }

  /** Say something to the host. @param {string} eventType @param {unknown} eventData */
  say(eventType, eventData = null) {
    const { TelegramWebviewProxy: app } = /** @type {any} */ (window);
    if (app) app.postEvent(eventType, JSON.stringify(eventData));
    else if (parent !== self) parent.postMessage(JSON.stringify({ eventType, eventData }), "https://web.telegram.org");
  }

  /** @param {string} kind @param {TelegramEvent} data */
  heard(kind, data) {
    if (kind.endsWith("safe_area_changed")) {
      this.areas[kind] = data ?? {};
      for (const side of SIDES) {
        const inset = Object.values(this.areas).reduce((sum, area) => sum + (Number(area[side]) || 0), 0);
        document.documentElement.style.setProperty(`--tg-${side}`, `${inset}px`);
      }
    }
    if (kind !== "theme_changed" || !data?.theme_params) return;
    this.tint = data.theme_params.bg_color ?? this.tint;
    this.tinted();
  }
}

/** @param {any} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
