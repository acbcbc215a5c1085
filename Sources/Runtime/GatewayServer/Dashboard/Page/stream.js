// The stream of invalidations: one WebSocket, which reconnects with its last position. Until the
// first heartbeat after that, the number of missing records is unknown, and the page shows that.

import { parsed } from "./gateway.js";
import { count, el, find, many, named, percentText, reaches, say, shown, span, time } from "./words.js";

/** Maximum records kept and shown. */
const recordsMax = 200;
const scopesShown = 3;
const drawPause = 200;

export class Stream extends EventTarget {
  #gateway; #socket = null; #position = null; #tries = 0; #timer = null; #silence = null;
  #records = []; #receipts = new Map(); #nodes = []; #isPaused = false; #isDrawn = true; #retry = 1_000;
  #state = { word: "connecting" };

  constructor(gateway) {
    super();
    this.#gateway = gateway;
    gateway.addEventListener("token", () => this.open());
    find("stream-pause").addEventListener("click", event => {
      this.#isPaused = !this.#isPaused;
      event.target.setAttribute("aria-pressed", this.#isPaused);
      say(event.target, this.#isPaused ? "Go on" : "Pause");
      this.#soon();
    });
    find("stream-filter").addEventListener("input", () => this.#draw(true));
    setInterval(() => this.#tell(), 1_000);
  }

  /** Connects, or reconnects. */
  open() {
    clearTimeout(this.#timer);
    this.#socket?.close();
    const socket = this.#socket = new WebSocket(this.#gateway.streamURL);
    this.#become(this.#position ? "returning" : "connecting");
    socket.onopen = () => socket.send(JSON.stringify({
      everything: true, ...(this.#position && { after: this.#position }), ...this.#gateway.tokenMember }));
    socket.onmessage = event => this.#socket === socket && this.#hear(parsed(event.data));
    socket.onclose = event => this.#socket === socket && this.#lose(event);
  }

  /** A receipt that this page received. */
  note(receipt) {
    if (!receipt.position) return;
    this.#receipts.set(receipt.position, receipt);
    if (this.#receipts.size > recordsMax) this.#receipts.delete(this.#receipts.keys().next().value);
    this.#soon();
  }

  /** The current position of each node. */
  stand(nodes, now) {
    this.#nodes = nodes;
    for (const record of this.#records) {
      if (record.type !== "record" || record.isApplied) continue;
      record.isApplied = nodes.length > 0 && nodes.every(node => reaches(node.applied, record.position));
      record.owing = nodes.filter(node => !reaches(node.applied, record.position));
      record.of = nodes.length;
      record.asOf = now;
    }
    this.#soon();
  }

  // MARK: Messages

  #hear(message) {
    if (message.type === "end") {
      this.#state.why = message.reason;
      this.#state.code = message.code;
      this.#retry = message.retry_ms ?? 1_000;
      return;
    }
    this.#tries = 0;
    if (message.type === "record") this.#keep({ ...message, heard: Date.now() });
    if (message.type === "gone") this.#keep({ ...message, heard: Date.now() });
    if (message.position) this.#position = message.position;
    if (message.type === "hello") this.#become(message.position === message.head ? "live" : "returning");
    if (message.type === "heartbeat") {
      this.#silence = { ms: message.silent_ms, at: Date.now(), isAway: message.publisher === "away" };
      this.#become(message.position === message.head ? "live" : "returning");
    }
    if (message.type !== "record") return;
    this.#tell();
    this.dispatchEvent(new Event("record"));
  }

  #keep(record) {
    this.#records.unshift(record);
    if (this.#records.length > recordsMax) this.#records.pop();
    this.#soon();
  }

  #lose(event) {
    this.#socket = null;
    this.#silence = null;
    const { why, code } = this.#state;
    this.#tries += 1;
    if (["unauthorised", "expired", "bad-request"].includes(code) || event.code === 4001) {
      this.#state = { word: "refused", why: why ?? "a token is asked for", since: Date.now() };
      this.dispatchEvent(new CustomEvent("refused", { detail: this.#state.why }));
      this.#tell();
      return;
    }
    const since = this.#state.word === "cut" ? this.#state.since : Date.now();
    this.#state = { word: "cut", why, since };
    // With jitter: other clients reconnect too.
    const least = Math.max(this.#retry, Math.min(10_000, 500 * 2 ** this.#tries));
    const pause = least * (1 + Math.random() / 2);
    this.#state.next = Date.now() + pause;
    this.#timer = setTimeout(() => {
      const was = this.#state;
      this.open();
      this.#state = { ...was, word: "cut", next: null };
      this.#tell();
    }, pause);
    this.#tell();
  }

  #become(word) {
    if (this.#state.word !== word) this.#state = { word, since: Date.now() };
    this.#tell();
  }

  // MARK: Rendering

  #tell() {
    const line = find("stream-state");
    const { word, why, since, next } = this.#state;
    // The seconds are separate, and not announced by screen readers.
    let text, seconds = "";
    if (word === "live") {
      const silent = this.#silence ? this.#silence.ms + Date.now() - this.#silence.at : 0;
      if (this.#silence?.isAway) seconds = ` Silent for ${span(silent)}.`;
      text = this.#silence?.isAway
        ? "The publisher is silent: no new invalidations arrive."
        : `Live, up to ${this.#position ?? "the beginning"}`;
      line.dataset.look = this.#silence?.isAway ? "fair" : "good";
    } else if (word === "cut") {
      const after = this.#position ? `; it goes on after ${this.#position}` : "";
      text = `Cut since ${time(since)}${why ? ` (${why})` : ""}${after}.`;
      seconds = next ? ` Again in ${Math.max(0, Math.ceil((next - Date.now()) / 1_000))} s.` : " Trying.";
      line.dataset.look = "bad";
    } else if (word === "refused") {
      text = `Not shown: ${why}.`;
      line.dataset.look = "bad";
    } else {
      text = word === "returning" ? `Catching up after ${this.#position ?? "nothing"} …` : "Connecting …";
      line.dataset.look = "fair";
    }
    say(line.firstElementChild, text);
    say(line.lastElementChild, seconds);
  }

  #soon() {
    if (!this.#isDrawn) return;
    this.#isDrawn = false;
    setTimeout(() => { this.#isDrawn = true; this.#draw(false); }, drawPause);
  }

  #draw(isForced) {
    if (this.#isPaused && !isForced) return;
    const wanted = find("stream-filter").value;
    const rows = this.#records.filter(each => matches(each, wanted)).map(each => this.#row(each));
    if (!rows.length) {
      rows.push(el("li", { class: "empty note" }, this.#records.length
        ? "No received record has this in a name."
        : "Nothing was invalidated since this page was opened."));
    }
    const list = find("records");
    const held = list.contains(document.activeElement) ? document.activeElement.dataset.at : null;
    list.replaceChildren(...rows);
    if (held) list.querySelector(`[data-at="${CSS.escape(held)}"]`)?.focus();
  }

  #row(record) {
    if (record.row && record.drawn === this.#standing(record)) return record.row;
    record.drawn = this.#standing(record);
    record.row = record.type === "gone" ? goneRow(record) : this.#recordRow(record);
    return record.row;
  }

  #recordRow(record) {
    const rest = record.scopes.length - scopesShown;
    return el("li", { class: `record ${record.strength}` },
      el("span", { class: "position" }, record.position),
      el("time", {}, time(record.heard)),
      el("span", { class: "scopes" },
        ...record.scopes.slice(0, scopesShown).map((scope, n) => this.#scope(record, scope, n)),
        ...(rest > 0 ? [el("span", { class: "note" }, `and ${count(rest)} more`)] : []),
        ...(record.strength === "soft" ? [el("span", { class: "chip" }, "soft")] : [])),
      el("span", { class: `standing ${this.#isOwed(record) ? "owed" : ""}` }, record.drawn));
  }

  #scope(record, scope, n) {
    const name = scope.name_base64 === undefined ? scope.name : percentText(scope.name_base64);
    const words = el("span", { class: "scope" }, el("span", { class: "chip" }, scope.kind));
    if (scope.namespace) {
      const slash = name === undefined ? "" : "/";
      words.append(el("span", { class: "space" }, scope.namespace + slash));
    }
    if (name === undefined) return words;
    words.append(scope.kind !== "key" ? named(name) : el("button", {
      type: "button", class: "link name", "data-at": `${record.position}#${n}`,
      "aria-label": `Explain key ${shown(name)} of ${scope.namespace}`,
      onclick: () => this.dispatchEvent(new CustomEvent("explain", {
        detail: {
          namespace: scope.namespace, key: name, isPercent: scope.name_base64 !== undefined } })),
    }, named(name)));
    return words;
  }

  #isOwed(record) {
    const receipt = this.#receipts.get(record.position);
    return !record.isApplied && (receipt ? receipt.pending.length > 0 : record.owing?.length > 0);
  }

  /** The nodes that have applied it, as text. */
  #standing(record) {
    const receipt = this.#receipts.get(record.position);
    if (receipt && receipt.applied.length) {
      const slowest = Math.max(...receipt.applied.map(line => line.ms));
      const owed = record.isApplied ? [] : [...receipt.pending, ...receipt.expired].map(line => line.node);
      const rest = owed.length ? `, not ${owed.join(", ")}` : "";
      return `${many(receipt.applied.length, "node")} within ${span(slowest)}${rest}`;
    }
    if (record.of === undefined) return "not known";
    if (record.isApplied) return `all ${record.of} applied`;
    return `${record.of - record.owing.length} of ${record.of}, not yet ${record.owing.map(node =>
      node.reachable ? node.node : `${node.node} (away)`).join(", ")}`;
  }
}

function goneRow(record) {
  return el("li", { class: "record gone" }, el("span", {},
    `What was invalidated between ${record.after} and ${record.position} cannot be told any more.`));
}

function matches(record, wanted) {
  if (!wanted || record.type === "gone") return true;
  return record.scopes.some(scope => {
    const name = scope.name ?? percentText(scope.name_base64 ?? "");
    return `${scope.kind} ${scope.namespace ?? ""}/${name}`.includes(wanted);
  });
}
