// The whole page: polls the gateway every two seconds, and shows the state and its age.

import { Chart } from "./chart.js";
import { Bar, ClusterMap } from "./cluster.js";
import { Explorer } from "./explorer.js";
import { Gateway } from "./gateway.js";
import { History } from "./history.js";
import { Invalidation } from "./invalidation.js";
import { Stream } from "./stream.js";
import { big, bytes, count, el, find, many, percent, rate, say, sentence, span, time } from "./words.js";

const pollPause = 2_000;
const soonPause = 400;
/** Older values are outdated; an answer itself takes up to two seconds. */
const freshMax = 6_000;

const gateway = new Gateway();
const history = new History();
const map = new ClusterMap();
const stream = new Stream(gateway);
const explorer = new Explorer(gateway);
const invalidation = new Invalidation(gateway);

const throughput = new Chart(find("throughput"), {
  title: "Throughput", unit: "a second", format: rate, series: [
    { key: "lookups", name: "Lookups" }, { key: "stores", name: "Stores" },
    { key: "records", name: "Invalidations" },
  ],
});
const ratio = new Chart(find("ratio"), {
  title: "Hit ratio", unit: "of lookups", format: share => `${Math.round(share * 1000) / 10} %`, top: 1,
  series: [{ key: "ratio", name: "Hit ratio" }],
});

/** The last answer and its time; the failure since, and its time. */
let told = null, trouble = null;

// MARK: Polling

let timer = null, dueAt = Infinity, isAsking = false, failures = 0, lastAsked = 0;

async function ask() {
  if (isAsking) return;
  clearTimeout(timer);
  dueAt = Infinity;
  if (document.hidden) return;
  isAsking = true;
  lastAsked = performance.now();
  const { body, problem } = await gateway.get("v1/cluster", 15_000);
  isAsking = false;
  failures = body ? 0 : failures + 1;
  // Before rendering: an answer that cannot be rendered must not stop the polling.
  askWithin(Math.min(10_000, pollPause * 2 ** Math.max(0, failures - 1)));
  const now = Date.now();
  if (body) {
    told = { cluster: body, at: now };
    trouble = null;
    history.add(body, now);
    stream.stand(body.nodes, now);
    map.show(body, history.rates, now);
  } else {
    trouble = { problem, since: trouble?.since ?? now };
    history.miss(now);
  }
  showFigures();
  showTrouble();
}

/** Polls by then at the latest. An earlier poll stays scheduled: a poll is never postponed. */
function askWithin(pause) {
  const at = performance.now() + pause;
  if (at >= dueAt) return;
  clearTimeout(timer);
  dueAt = at;
  timer = setTimeout(ask, pause);
}

/** Polls a little sooner: after an event that nodes will report. */
function askSoon() {
  if (isAsking || performance.now() - lastAsked < soonPause * 2) return;
  askWithin(soonPause);
}

document.addEventListener("visibilitychange", () => {
  if (document.hidden) history.miss(Date.now());
  else ask();
});
setInterval(() => { showTrouble(); draw(); }, 1_000);

// MARK: Rendering

function draw() {
  const now = Date.now();
  throughput.draw(history.points, now);
  ratio.draw(history.points, now);
}

function showFigures() {
  const cluster = told?.cluster;
  const figures = trouble ? null : history.latest;
  const partly = figures && figures.told < figures.total
    ? `of ${figures.told} of ${figures.total} nodes` : "";
  const isFirst = cluster && !trouble && !figures;
  put("lookups", figures?.lookups, each => `${rate(each)}/s`,
    isFirst ? "with the second answer" : partly);
  put("ratio", figures?.ratio, percent, figures && figures.ratio === null ? "no lookups" : partly);
  put("stores", figures?.stores, each => `${rate(each)}/s`, partly);
  put("records", figures?.records, each => `${rate(each)}/s`, cluster?.head ? `head ${cluster.head}` : "");
  if (cluster) showLevels(cluster);
  draw();
}

function put(name, value, format, note) {
  const isKnown = value !== null && value !== undefined;
  say(document.querySelector(`[data-figure=${name}]`), isKnown ? format(value) : "–");
  say(document.querySelector(`[data-note=${name}]`), note);
}

function showLevels(cluster) {
  const here = cluster.nodes.filter(node => node.reachable);
  const sum = name => here.reduce((total, node) => total + Number(node.figures[name] ?? 0), 0);
  const all = cluster.nodes.length;
  const partly = here.length < all ? `, ${here.length} of ${all} nodes` : "";
  const copies = cluster.topology === "replicated" ? ", each copy" : "";
  const past = trouble ? `at ${time(told.at)}` : "";
  put("entries", here.length ? sum("entries") : null, big, past || `in memory${copies}${partly}`);
  // For an unreachable node, the publisher reports it.
  const known = cluster.nodes.filter(node => Number.isInteger(node.lag));
  const worst = known.reduce((most, node) => node.lag > (most?.lag ?? -1) ? node : most, null);
  const upToDate = known.length < all ? `of ${known.length} of ${all} nodes` : "every node is up to date";
  put("lag", worst?.lag, each => many(each, "record"), past || (worst?.lag ? worst.node : upToDate));
  showTiers(sum);
  const live = here.filter(node => node.state === "LIVE").length;
  say(find("summary"), (past && `${past}: `) + [
    `${live} of ${many(all, "node")} live`, cluster.topology, `head ${cluster.head ?? "not known"}`,
  ].join(" · "));
  document.title = `${live}/${all} live · Martlet`;
}

const memory = new Bar("Memory"), disk = new Bar("Disk");
const share = el("div", { class: "share", "aria-hidden": "true" });
const shares = el("ul", { class: "legend shares" });
const sharesNote = el("p", { class: "note" }, "Answered by");
find("tiers-body").append(memory.root, disk.root, sharesNote, share, shares);

function showTiers(sum) {
  const used = sum("memory_bytes"), most = sum("memory_bytes_max");
  memory.show(most ? used / most : 0, `${bytes(used)} of ${bytes(most)}`);
  const size = sum("disk_bytes_max");
  disk.show(0, size
    ? `${many(sum("disk_entries"), "entry", "entries")} in ${bytes(size)}` : "no node has a disk tier");
  disk.root.classList.add("unmeasured");
  const figures = (trouble ? null : history.latest) ?? {};
  const parts = [
    ["memory", "memory"], ["disk", "disk"], ["origin", "origin"], ["nobody", "missed"],
  ];
  const total = parts.reduce((all, [key]) => all + (figures[key] ?? 0), 0);
  say(sharesNote, total ? "Lookups are answered by"
    : figures.lookups === undefined ? "Lookup results are not known"
    : "No lookups");
  share.replaceChildren(...parts.map(([key]) => {
    const part = el("div", { class: `of-${key}` });
    part.style.flexGrow = total ? figures[key] / total : 0;
    return part;
  }));
  shares.replaceChildren(...parts.map(([key, name]) =>
    el("li", { class: `swatch of-${key}` }, `${name}${total ? ` ${percent(figures[key] / total)}` : ""}`)));
}

/** The age of the shown values: always, because a page that hangs looks healthy. */
function showAge() {
  const age = told ? Math.max(0, Date.now() - told.at) : 0;
  const isOld = told !== null && (trouble !== null || age > freshMax);
  say(find("age"), told ? `as of ${time(told.at)}, ${span(age)} ago` : "");
  find("age").classList.toggle("old", isOld);
  document.body.classList.toggle("stale", isOld);
}

/** The banner, and the age of everything below. */
function showTrouble() {
  showAge();
  const banner = find("banner");
  banner.hidden = trouble === null;
  if (!trouble) return;
  const { problem } = trouble;
  const isBad = problem.status !== 401 && problem.status !== 403;
  banner.className = `banner ${isBad ? "bad" : "fair"}`;
  const since = time(trouble.since);
  const what = {
    0: `The gateway does not answer, since ${since}.`,
    401: gateway.hasToken
      ? "The gateway does not know this token." : "The gateway authenticates requests.",
    403: "This token may not see the cluster: that takes the role metrics. Keys and invalidations "
      + "are by their own rights.",
  }[problem.status]
    ?? `The gateway is there, and the cluster does not answer it, since ${since}: ${sentence(problem)}`;
  say(find("banner-words"), what + (told ? ` All figures are of ${time(told.at)}` : ""));
  // Separate, and not announced by screen readers: it changes every second.
  say(find("banner-age"), told ? `, ${span(Date.now() - told.at)} ago.` : "");
  if (!told) say(find("summary"), problem.status === 0 ? "no gateway" : isBad ? "no cluster" : "not shown");
  if (isBad) document.title = "✕ Martlet";
}

// MARK: The token

function askToken(why) {
  const dialog = find("token");
  find("token-button").hidden = false;
  if (document.querySelector("dialog[open]")) return;
  say(find("token-why"), why);
  find("token-input").value = "";
  dialog.returnValue = "no";
  dialog.showModal();
}

let wasAsked = false;
gateway.addEventListener("unknown", event => {
  find("token-button").hidden = false;
  // Opens once automatically; a user that chose "not now" is not asked every two seconds.
  if (wasAsked) return;
  wasAsked = true;
  askToken(event.detail ?? "The gateway authenticates requests.");
});
find("token-button").addEventListener("click", () =>
  askToken("The gateway's list of tokens says what each may do."));
find("token").addEventListener("close", event => {
  const token = find("token-input").value.trim();
  find("token-input").value = "";
  if (event.target.returnValue !== "yes" || !token) return;
  wasAsked = false;
  gateway.use(token);
  ask();
});

// MARK: Colours

const theme = find("theme");
function showTheme(name) {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
}
theme.addEventListener("change", () => {
  showTheme(theme.value);
  try { localStorage.setItem("martlet-theme", theme.value); } catch { /* valid for this visit */ }
});
try {
  const kept = localStorage.getItem("martlet-theme");
  if (["light", "dark"].includes(kept)) { theme.value = kept; showTheme(kept); }
} catch { /* no storage: the system's setting */ }

// MARK: Links between the parts

stream.addEventListener("record", askSoon);
stream.addEventListener("explain", event => explorer.explain(event.detail));
explorer.addEventListener("invalidate", event => invalidation.prepare(event.detail));
invalidation.addEventListener("receipt", event => { stream.note(event.detail); askSoon(); });

ask();
stream.open();
