// An invalidation: first counted, then confirmed, with a receipt at the end. If the count is not
// possible, because a node is unreachable, the user may invalidate all the same, and is told so.

import { bytes, count, el, find, many, named, percentText, sentence, span, time } from "./words.js";

const kinds = {
  keys: "Keys, one on each line", tags: "Tags, one on each line",
  prefixes: "Beginnings of keys, one on each line",
};
const namesShown = 8;

export class Invalidation extends EventTarget {
  #gateway; #isUnderWay = false;

  constructor(gateway) {
    super();
    this.#gateway = gateway;
    find("invalidate-kind").addEventListener("change", () => this.#arrange());
    find("invalidate-form").addEventListener("submit", event => {
      event.preventDefault();
      this.#begin();
    });
    find("confirm-typed").addEventListener("input", () => this.#allow());
    this.#arrange();
  }

  prepare({ namespace, key, isPercent }) {
    find("invalidate-kind").value = "keys";
    this.#arrange();
    find("invalidate-namespace").value = namespace;
    find("invalidate-names").value = key;
    find("invalidate-bytes").checked = isPercent;
    find("invalidate").scrollIntoView({ block: "nearest" });
    find("invalidate-names").focus({ preventScroll: true });
  }

  #arrange() {
    const kind = find("invalidate-kind").value;
    const hasNames = kind in kinds;
    find("invalidate-names-field").hidden = !hasNames;
    find("invalidate-bytes").parentElement.hidden = !hasNames;
    find("invalidate-namespace-field").hidden = kind === "everything";
    if (hasNames) find("invalidate-names-label").textContent = kinds[kind];
  }

  /** The form's contents, in the gateway's format. */
  #order() {
    const kind = find("invalidate-kind").value;
    const order = {};
    if (kind === "everything") {
      order.everything = true;
    } else if (kind === "namespaces") {
      order.namespaces = [find("invalidate-namespace").value];
    } else {
      const lines = find("invalidate-names").value.split("\n").filter(line => line !== "");
      if (!lines.length) return { fault: "Name something: one on each line." };
      order.namespace = find("invalidate-namespace").value;
      order[kind] = find("invalidate-bytes").checked ? lines.map(bytesOf) : lines;
      if (order[kind].includes(null)) {
        return { fault: "After each % stand two hexadecimal digits; % itself is %25." };
      }
    }
    if (find("invalidate-soft").checked) order.soft = true;
    return { order };
  }

  async #begin() {
    if (this.#isUnderWay) return;
    const { order, fault } = this.#order();
    if (fault) return this.#answer(el("p", { class: "why" }, fault));
    this.#isUnderWay = true;
    try {
      this.#answer(el("p", { class: "note" }, "Counting …"));
      const counted = await this.#gateway.post("v1/invalidate", { ...order, dry_run: true }, 15_000);
      // A refusal ends it. A failed count does not.
      if (counted.problem && counted.problem.status < 500 && counted.problem.status !== 0) {
        return this.#answer(el("p", { class: "why" }, sentence(counted.problem)));
      }
      if (!await this.#confirm(order, counted)) {
        return this.#answer(el("p", { class: "note" }, "Left as it is."));
      }
      await this.#carryOut(order);
    } finally {
      this.#isUnderWay = false;
    }
  }

  async #carryOut(order) {
    const wait = find("invalidate-wait").value;
    this.#answer(el("p", { class: "note" }, "Invalidating …"));
    const { body, problem } = await this.#gateway.post("v1/invalidate", { ...order, wait });
    if (problem) return this.#answer(el("p", { class: "why" }, sentence(problem)));
    this.dispatchEvent(new CustomEvent("receipt", { detail: body }));
    this.#answer(...receipt(body));
  }

  #answer(...children) { find("receipt").replaceChildren(...children); }

  // MARK: Confirmation

  #confirm(order, counted) {
    const dialog = find("confirm");
    const word = order.everything ? "everything" : order.namespaces?.[0];
    find("confirm-typed-field").hidden = word === undefined;
    find("confirm-typed-label").textContent = word === undefined ? "" : `Write ${word} to go on`;
    find("confirm-typed").value = "";
    find("confirm-typed").dataset.word = word ?? "";
    find("confirm-body").replaceChildren(...confirmation(order, counted));
    this.#allow();
    return new Promise(resolve => {
      dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
      dialog.returnValue = "no";
      dialog.showModal();
      if (word === undefined) dialog.querySelector("[value=no]").focus();
    });
  }

  #allow() {
    const { value, dataset } = find("confirm-typed");
    find("confirm-yes").disabled = dataset.word !== "" && value !== dataset.word;
  }
}

function confirmation(order, { body, problem }) {
  const kind = ["keys", "tags", "prefixes"].find(each => order[each]);
  const names = (order[kind] ?? []).map(name =>
    name.base64 === undefined ? name : percentText(name.base64));
  const rest = names.length - namesShown;
  const what = order.everything ? "Everything, in all namespaces"
    : kind ? `${capitalised(kind)} of ${order.namespace}` : `The namespace ${order.namespaces[0]}`;
  return [
    el("p", {}, el("strong", {}, what), order.soft ? ", softly: it becomes stale, and is not gone." : "."),
    ...(names.length ? [el("ul", { class: "names" },
      ...names.slice(0, namesShown).map(name => el("li", {}, named(name))),
      ...(rest > 0 ? [el("li", { class: "note" }, `and ${count(rest)} more`)] : []))] : []),
    problem
      ? el("p", { class: "why" },
        `It could not be counted: ${sentence(problem)} It can be invalidated all the same.`)
      : el("p", { class: "counted" },
        `${body.exact ? "" : "At most "}${many(body.entries, "entry", "entries")}, `
          + `${bytes(body.bytes)}, would go.`),
    ...(body && body.nodes.length > 1 && body.entries ? [el("p", { class: "note" },
      body.nodes.map(node => `${node.node} ${count(node.entries)}`).join(" · "))] : []),
  ];
}

function receipt(body) {
  const lines = [...body.applied.map(line => `${line.node} ${span(line.ms)}`)];
  return [
    el("p", {},
      el("span", { class: `state ${body.complete ? "good" : "fair"}` },
        body.complete ? "● done" : "◐ in force, not complete"),
      ` at ${body.position}, ${time(Date.now())}`),
    ...(lines.length ? [el("p", { class: "note" }, `Applied: ${lines.join(" · ")}`)] : []),
    ...owed("Without a lease, and applies it before it calls anything fresh: ", body.expired),
    ...owed("Not applied yet: ", body.pending),
  ];
}

const owed = (words, lines) => lines.length
  ? [el("p", { class: "note" }, words + lines.map(line => line.node).join(", "))] : [];

const capitalised = kind => kind.charAt(0).toUpperCase() + kind.slice(1);

/** A name with %XX, as bytes; `null`: malformed. */
function bytesOf(line) {
  if (/%(?![0-9A-Fa-f]{2})/.test(line)) return null;
  const raw = new TextEncoder().encode(line);
  let text = "";
  for (let n = 0; n < raw.length; n++) {
    if (raw[n] === 0x25) {
      text += String.fromCharCode(parseInt(String.fromCharCode(raw[n + 1], raw[n + 2]), 16));
      n += 2;
    } else {
      text += String.fromCharCode(raw[n]);
    }
  }
  return { base64: btoa(text) };
}
