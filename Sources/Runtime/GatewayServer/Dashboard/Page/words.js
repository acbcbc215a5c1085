// Texts and elements of the page. Names of keys and tags are untrusted: they become text nodes and
// nothing else, and invisible or direction-changing characters are written out.

/** An element with attributes and children; text children become text nodes. */
export function el(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** The same, for SVG. */
export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter(child => child !== null && child !== undefined));
  return node;
}

export const find = id => document.getElementById(id);

/** Sets text only if it changes, so that selections and screen readers are not disturbed. */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// Control characters, invisible marks (including direction marks and zero-width characters), line
// ends, and unpaired surrogates.
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const shownMax = 160;

/** An untrusted name in a safe form. */
export function shown(name) {
  const text = name.replace(hidden, c => `\\u{${c.codePointAt(0).toString(16)}}`);
  return text.length > shownMax ? `${text.slice(0, shownMax)}… (${count(name.length)} characters)` : text;
}

/** A name, in its own typeface and direction. */
export const named = name => el("bdi", { class: "name" }, shown(name));

/** Bytes from base64, as text: %XX for all but letters, digits and a few marks. */
export function percentText(base64) {
  return Array.from(atob(base64), c => /[\w.~:\/-]/.test(c)
    ? c : "%" + c.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")).join("");
}

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const small = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

export const count = number => whole.format(number);
export const many = (number, one, more = one + "s") => `${count(number)} ${number === 1 ? one : more}`;
export const big = number => Math.abs(number) < 10_000 ? count(number) : compact.format(number);
export const rate = number => number < 100 ? small.format(number) : big(number);
export const percent = share => share === 1 ? "100 %" : `${(share * 100).toFixed(1)} %`;

export function bytes(number) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (number >= 1024 && unit < units.length - 1) { number /= 1024; unit += 1; }
  return `${small.format(number)} ${units[unit]}`;
}

/** A duration, in its shortest accurate form. */
export function span(ms) {
  if (ms < 10) return `${small.format(ms)} ms`;
  if (ms < 1_000) return `${count(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 120_000) return `${Math.round(ms / 1_000)} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  return ms < 172_800_000 ? `${Math.round(ms / 3_600_000)} h` : `${Math.round(ms / 86_400_000)} d`;
}

const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
export const time = at => clock.format(at);

/** A position in the log, comparable: epochs and numbers have 64 bits. */
export function place(position) {
  const [epoch, sequence] = position.split(":").map(BigInt);
  return { epoch, sequence };
}

/** Whether a node at `applied` has applied the record at `position`. */
export function reaches(applied, position) {
  if (!applied) return false;
  const [a, b] = [place(applied), place(position)];
  return a.epoch === b.epoch ? a.sequence >= b.sequence : a.epoch > b.epoch;
}

// The look of a state. Each colour has a sign, for users that do not see colours.
const looks = {
  "LIVE": ["good", "●"], "CATCHING UP": ["fair", "◐"], "SYNCING": ["fair", "◐"],
  "STARTING": ["fair", "◔"], "RECOVERING": ["fair", "◔"], "SUSPECT": ["fair", "▲"],
  "DRAINING": ["calm", "◌"], "UNREACHABLE": ["bad", "✕"], "ABSENT": ["bad", "✕"],
};

/** A state as a sign and a word. */
export function showState(node, state) {
  const [look, sign] = looks[state] ?? ["calm", "○"];
  node.className = `state ${look}`;
  say(node, `${sign} ${state}`);
}

export const lookOf = state => (looks[state] ?? ["calm"])[0];

/** The sentence of a problem document, or of any other failure. */
export function sentence(problem) {
  let detail = problem.detail ?? problem.title ?? `it answered ${problem.status}`;
  if (!/[.!?]$/.test(detail)) detail += ".";
  return problem.may_have_happened
    ? `${detail} (It may have been done all the same, and may be repeated.)` : detail;
}

export const capital = text => text.charAt(0).toUpperCase() + text.slice(1);
