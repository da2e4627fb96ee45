// Records what the official SDKs send, and what they understand of the hosts that the tests imitate (hosts.json):
//
//   npm install --prefix /tmp/sdks @discord/embedded-app-sdk@2.5.0 @telegram-apps/bridge@2.11.0
//   node tests/bot/platforms/page/sdks/record.mjs /tmp/sdks > tests/bot/platforms/page/sdks/sdks.json

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.argv[2]}/`);
const load = (name, file) => import(pathToFileURL(require.resolve(name).replace(/[^/]*$/, file)));
const hosts = JSON.parse(readFileSync(new URL("hosts.json", import.meta.url)));
const APPLICATION = "1095000000000000001";

const listeners = new Set();
const sent = [];
const parent = { postMessage: (message, target) => sent.push([message, target]) };
const window = {
  parent,
  location: { origin: "https://page.test", search: "?frame_id=f-1&instance_id=i-1&platform=desktop", href: "https://page.test/", hash: "" },
  addEventListener: (name, heard) => name === "message" && listeners.add(heard),
  removeEventListener: (name, heard) => listeners.delete(heard),
  sessionStorage: { getItem: () => null, setItem() {}, removeItem() {} },
  performance: { getEntriesByType: () => [] },
};
Object.assign(window, { self: window, top: parent, window });
const define = (name, value) => Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
for (const [name, value] of Object.entries(window)) define(name, value);
define("document", { referrer: "https://discord.com/" });

const say = (data, origin) => {
  for (const heard of listeners) heard({ data, origin, source: parent });
};
const settled = () => new Promise((done) => setTimeout(done, 20));
const made = { hosts, sent: {}, understood: {} };

// --- Discord

const { DiscordSDK } = await load("@discord/embedded-app-sdk", "index.mjs");
const sdk = new DiscordSDK(APPLICATION, { disableConsoleLogOverride: true });
made.sent.handshake = sent.pop();
const ready = sdk.ready().then(() => (made.understood.ready = true));
say(hosts.discord.ready, "https://discord.com");
await Promise.race([ready, settled()]);
for (const [name, answer] of [["authorize", hosts.discord.authorize], ["refused", hosts.discord.refused]]) {
  const asked = sdk.commands.authorize({ client_id: APPLICATION, response_type: "code", state: "", prompt: "none", scope: ["identify"] });
  await settled();
  const [[opcode, { nonce, ...command }], target] = sent.pop();
  made.sent[name] = [[opcode, { ...command, nonce: typeof nonce }], target];
  say([answer[0], { ...answer[1], nonce }], "https://discord.com");
  made.understood[name] = await asked.catch((error) => ({ error }));
}
listeners.clear();

// --- Telegram

const telegram = await load("@telegram-apps/bridge", "index.js");
const events = [
  ["iframe_ready", { reload_supported: false }],
  ["web_app_ready"],
  ["web_app_expand"],
  ["web_app_setup_swipe_behavior", { allow_vertical_swipe: false }],
  ["web_app_request_safe_area"],
  ["web_app_request_content_safe_area"],
  ["web_app_trigger_haptic_feedback", { type: "selection_change" }],
];
for (const [name, parameters] of events) {
  telegram.postEvent(name, parameters);
  const [message, target] = sent.pop();
  made.sent[name] = [JSON.parse(message), target];
}
for (const [name, event] of Object.entries(hosts.telegram)) {
  telegram.on(name, (data) => (made.understood[name] = data));
  say(JSON.stringify(event), "https://web.telegram.org");
}
await settled();

process.stdout.write(`${JSON.stringify(made, null, 1)}\n`);
process.exit(0);
