// Each node's state of a key, and why it would serve it or not.

import { bytes, capital, el, find, named, percentText, sentence, shown, span, time } from "./words.js";

const verdicts = {
  fresh: ["good", "●", "served as fresh"], absent: ["calm", "○", "not there"],
  expired: ["calm", "○", "its time is over"], invalidated: ["calm", "○", "invalidated"],
  soft: ["fair", "◐", "stale, and served to readers that allow stale values"],
  withheld: ["fair", "▲", "hidden: the node has lost the log since it was filled, and asks the origin"],
  forgotten: ["fair", "▲", "not served: the node has lost the log since it was filled"],
  suspectServed: ["fair", "▲", "served as stale: the node has no lease"],
  suspectRefused: ["fair", "▲", "refused: the node has no lease"],
  suspectHidden: ["fair", "▲", "hidden: the node has no lease"],
};

export class Explorer extends EventTarget {
  #gateway; #asked = 0;

  constructor(gateway) {
    super();
    this.#gateway = gateway;
    find("explain-form").addEventListener("submit", event => {
      event.preventDefault();
      this.#explain();
    });
  }

  explain({ namespace, key, isPercent }) {
    find("explain-namespace").value = namespace;
    find("explain-key").value = key;
    find("explain-bytes").checked = isPercent;
    find("explorer").scrollIntoView({ block: "nearest" });
    find("explain-key").focus({ preventScroll: true });
    this.#explain();
  }

  async #explain() {
    const namespace = find("explain-namespace").value, key = find("explain-key").value;
    const isPercent = find("explain-bytes").checked;
    const encoded = pathOf(key, isPercent);
    const result = find("explanation");
    // Also without a request: an answer still under way belongs to an earlier one.
    const turn = this.#asked += 1;
    result.removeAttribute("aria-busy");
    if (encoded === null) {
      result.replaceChildren(el("p", { class: "why" }, key === "." || key === ".."
        ? "Browsers take a path of dots out of a URL: ask with martlet explain."
        : "After each % stand two hexadecimal digits; % itself is %25."));
      return;
    }
    result.setAttribute("aria-busy", "true");
    const path = `v1/explain/${encodeURIComponent(namespace)}/${encoded}`;
    const { body, problem } = await this.#gateway.get(path);
    if (turn !== this.#asked) return;
    result.removeAttribute("aria-busy");
    result.replaceChildren(...(problem
      ? [el("p", { class: "why" }, sentence(problem))] : this.#answer(body, { namespace, key, isPercent })));
  }

  #answer(body, asked) {
    const name = body.key ?? percentText(body.key_base64);
    // Nodes that neither own the key nor hold it are left out.
    const isTold = node =>
      !node.reachable || node.verdict !== "absent" || node.node === body.owner;
    const ownership = body.owner ? `${body.owner} owns it` : "every node may hold it";
    const rest = body.nodes.filter(node => !isTold(node)).map(node => node.node);
    return [
      el("p", { class: "subject" }, el("span", { class: "space" }, body.namespace + "/"), named(name),
        el("span", { class: "note" }, ` · ${ownership} · asked at ${time(Date.now())}`)),
      ...body.nodes.filter(isTold).map(node => nodeAnswer(node, body.owner)),
      ...(rest.length ? [el("p", { class: "note" }, `Not on ${rest.join(", ")}.`)] : []),
      el("p", { class: "row end" }, el("button", {
        type: "button", class: "quiet",
        onclick: () => this.dispatchEvent(new CustomEvent("invalidate", { detail: asked })),
      }, "Invalidate this key …")),
    ];
  }
}

/** A key as the rest of a path; `null`: not possible. */
function pathOf(key, isPercent) {
  if (isPercent) {
    if (/%(?![0-9A-Fa-f]{2})/.test(key)) return null;
    // %XX is sent as typed; all other characters are encoded.
    key = key.replace(/%[0-9A-Fa-f]{2}|[^]/gu, c =>
      c.length === 3 && c[0] === "%" ? c : encodeURIComponent(c));
    return /^(\.|%2e){1,2}$/i.test(key) ? null : key;
  }
  if (key === "." || key === "..") return null;
  return encodeURIComponent(key.toWellFormed?.() ?? key);
}

function nodeAnswer(node, owner) {
  if (!node.reachable) {
    return el("div", { class: "told" }, el("h3", {}, node.node, mark("bad", "✕ UNREACHABLE")),
      el("p", { class: "why" }, node.why));
  }
  const [look, sign, words] = verdicts[node.verdict] ?? ["calm", "○", node.verdict];
  const loading = node.load_ms === null
    ? "" : `; it is being loaded, for ${span(node.load_ms)} at most`;
  const lease = node.lease_ms === null ? "none" : span(node.lease_ms);
  return el("div", { class: "told" },
    el("h3", {}, node.node, node.node === owner ? el("span", { class: "chip" }, "owner") : null,
      mark(look, `${sign} ${node.verdict}`)),
    el("p", {}, `${capital(words)}${because(node)}${loading}.`),
    facts([
      ["node", `${node.state}, applied ${node.applied}, lease ${lease}`],
      ...(node.entry ? entryFacts(node.entry) : []),
      ...node.floors.map(floor => ["floor", floorWords(floor)]),
    ]));
}

/** The invalidation that hides it, or that none does. */
function because(node) {
  if (!node.entry) return "";
  const { filled: at } = node.entry;
  const filled = at ? `it was filled at ${at}` : "it was filled in an earlier log";
  if (node.verdict === "fresh") return `: ${filled}, and nothing that covers it was invalidated since`;
  const strength = { invalidated: "hard", soft: "soft" }[node.verdict];
  if (!strength) return "";
  const above = node.floors.filter(floor => floor.above_entry && floor[strength] !== null);
  const names = above.map(floor => `the invalidation of ${floorName(floor)} at ${floor[strength]}`);
  return `: ${filled}, before ${names.join(" and ") || "an invalidation of it"}`;
}

function entryFacts(entry) {
  return [
    ["value", `${bytes(entry.value_bytes)}, ${bytes(entry.charged_bytes)} with its bookkeeping`],
    ["age", span(entry.age_ms)],
    ["time left", entry.ttl_ms === null ? "never expires" : span(entry.ttl_ms)
      + (entry.stale_ms ? `, then stale for ${span(entry.stale_ms)}` : "")],
    ["tags", entry.tags.length ? entry.tags.map(shown).join(", ") : "none"],
    ["filled at", `${entry.filled ?? "an earlier log"}${entry.fenced ? "" : ", unfenced"}`],
    ...(entry.version === null ? [] : [["version", `${entry.version}`]]),
  ];
}

function floorName(floor) {
  const name = floor.name ?? (floor.name_base64 === undefined ? null : percentText(floor.name_base64));
  const kind = { key: "the key", namespace: "the namespace", all: "everything" }[floor.kind] ?? floor.kind;
  return name ? `${kind} ${shown(name)}` : kind;
}

function floorWords(floor) {
  const strengths = [["hard", floor.hard], ["soft", floor.soft]].filter(([, at]) => at !== null)
    .map(([word, at]) => `${word} at ${at}`).join(", ");
  return `${floorName(floor)}: ${strengths}${floor.above_entry ? ", above the entry" : ""}`;
}

const mark = (look, text) => el("span", { class: `state ${look}` }, text);

function facts(pairs) {
  return el("dl", { class: "facts lines" }, ...pairs.map(([name, text]) =>
    el("div", {}, el("dt", {}, name), el("dd", {}, text))));
}
