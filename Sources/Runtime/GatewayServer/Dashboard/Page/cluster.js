// The map: the publisher, the nodes and their shards. Cards stay where they are and change, so that
// an element that is being read, open or focused does not vanish.

import {
  big, bytes, capital, count, el, find, lookOf, many, percent, rate, say, showState, span, time,
} from "./words.js";

const reasons = {
  publisherUnheard: "has not heard the publisher since its start",
  publisherSilent: "the publisher does not answer it",
  noConfiguration: "waits for its configuration",
  replaying: "missed records and has them replayed",
  diverged: "its log differs from the publisher's",
  shardsBehind: "waits for its shards",
  leaseWithheld: "the publisher gives it no lease",
  leaseAwaited: "waits for its first lease",
  draining: "was told to leave and finishes",
  noLeader: "publishers answer it, but none of them leads",
};

const shardColumns = [
  "shard", "state", "applied", "lag", "lease", "entries", "memory", "disk", "lookups", "hits",
  "place",
];

export class ClusterMap {
  #cards = new Map();
  #publisher = new PublisherCard();
  #publishers = null;

  constructor() { find("map").append(this.#publisher.root); }

  show(cluster, rates, now) {
    this.#publisher.show(cluster, now);
    this.#showPublishers(cluster);
    const names = new Set(cluster.nodes.map(node => node.node));
    for (const [name, card] of this.#cards) {
      if (names.has(name)) continue;
      card.root.remove();
      this.#cards.delete(name);
    }
    for (const node of cluster.nodes) {
      if (!this.#cards.has(node.node)) {
        this.#cards.set(node.node, new NodeCard(node.node));
        find("map").append(this.#cards.get(node.node).root);
      }
      const slots = cluster.publisher.figures?.[`slots:${node.node}`];
      this.#cards.get(node.node).show(node, rates.get(node.node), slots, now);
    }
    const away = cluster.nodes.filter(node => !node.reachable).map(node => node.node);
    const shards = cluster.nodes.reduce((sum, node) => sum + node.endpoints.length, 0);
    say(find("cluster-note"), [
      many(cluster.nodes.length, "node"), many(shards, "shard"), cluster.topology,
      away.length ? `does not answer: ${away.join(", ")}` : "all answer",
    ].join(" · "));
  }

  /** A card of its own, where there are several. */
  #showPublishers(cluster) {
    if (!cluster.publishers) {
      this.#publishers?.root.remove();
      this.#publishers = null;
      return;
    }
    if (!this.#publishers) {
      this.#publishers = new PublishersCard();
      this.#publisher.root.after(this.#publishers.root);
    }
    this.#publishers.show(cluster);
  }
}

/** A list of facts with values that change. */
class Facts {
  root = el("dl", { class: "facts" });
  #values = new Map();

  set(name, text) {
    if (!this.#values.has(name)) {
      const value = el("dd", {}, "–");
      this.root.append(el("div", {}, el("dt", {}, name), value));
      this.#values.set(name, value);
    }
    say(this.#values.get(name), text ?? "–");
  }

  /** A figure that not every cluster has: shown from the first value on. */
  setOnceKnown(name, figure) {
    const isKnown = figure !== undefined;
    if (isKnown || this.#values.has(name)) this.set(name, isKnown ? count(figure) : null);
  }
}

/** A bar beside the text with the same value. */
export class Bar {
  #fill = el("div", { class: "fill" });
  #text = el("span");
  root;

  constructor(name) {
    this.root = el("div", { class: "bar" }, el("span", { class: "bar-name" }, name), this.#text,
      el("div", { class: "rail", "aria-hidden": "true" }, this.#fill));
  }

  show(share, text) {
    this.#fill.style.width = `${Math.min(100, (share || 0) * 100).toFixed(1)}%`;
    say(this.#text, text);
  }
}

class PublisherCard {
  #state = el("span");
  #why = el("p", { class: "why", hidden: true });
  #place = el("p", { class: "place" });
  #facts = new Facts();
  root = el("li", { class: "card publisher" },
    el("div", { class: "title" }, el("h3", {}, "publisher"), this.#state),
    this.#place, this.#why, this.#facts.root);

  show(cluster) {
    const { publisher } = cluster;
    showState(this.#state, publisher.reachable ? publisher.state : "UNREACHABLE");
    say(this.#place, publisher.endpoint || "endpoint not known");
    this.#why.hidden = publisher.reachable;
    say(this.#why, publisher.reachable ? "" : publisher.why);
    this.root.classList.toggle("away", !publisher.reachable);
    if (!publisher.reachable) return;
    const { figures } = publisher;
    this.#facts.set("head", cluster.head);
    this.#facts.set("records", count(figures.records));
    this.#facts.set("receipts waiting", count(figures.receipts_waiting));
    this.#facts.setOnceKnown("slots that move", figures.slots_waiting);
    this.#facts.set("log", figures.etcd_members !== undefined ? "on etcd"
      : figures.log_bytes === undefined ? "in memory" : bytes(figures.log_bytes));
  }
}

const conditions = {
  healthy: ["good", "● healthy"], silent: ["bad", "✕ UNREACHABLE"], leaderless: ["bad", "✕ NO LEADER"],
  full: ["bad", "✕ NOSPACE"], corrupt: ["bad", "✕ CORRUPT"], troubled: ["fair", "▲ TROUBLED"],
};

/** Of several publishers, which one leads, and the members of etcd. */
class PublishersCard {
  #state = el("span");
  #term = el("p", { class: "place" });
  #publishers = el("tbody");
  #members = el("tbody");
  #etcd;
  root;

  constructor() {
    this.#etcd = this.#table("members of etcd", ["etcd", "state", "role", "database"], this.#members);
    this.root = el("li", { class: "card publishers" },
      el("div", { class: "title" }, el("h3", {}, "publishers"), this.#state), this.#term,
      this.#table("publishers", ["publisher", "role", "state", "lag", "etcd"], this.#publishers),
      this.#etcd);
  }

  #table(name, columns, body) {
    return el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": name },
      el("table", {}, el("thead", {}, el("tr", {},
        ...columns.map(each => el("th", { scope: "col" }, each)))), body));
  }

  show({ leadership, publishers, etcd }) {
    const { publisher: leader, term, term_ms: age } = leadership;
    this.#state.className = `state ${leader ? "good" : "bad"}`;
    say(this.#state, leader ? `● ${leader} leads` : "✕ none leads");
    say(this.#term, [
      isNumber(age) && leader ? `for ${span(age)}` : "", term ? `term ${term}` : "",
    ].filter(each => each).join(" · ") || "invalidations wait until one leads");
    this.#publishers.replaceChildren(...publishers.map(row));
    this.#etcd.hidden = !etcd.length;
    this.#members.replaceChildren(...etcd.map(member => {
      const [look, words] = conditions[member.condition] ?? ["fair", `▲ ${member.condition}`];
      const answers = member.condition !== "silent";
      return el("tr", {}, el("th", { scope: "row" }, member.endpoint),
        el("td", {}, el("span", { class: `state ${look}` }, words)),
        el("td", {}, answers ? member.leads ? "leader" : "follower" : "–"),
        el("td", {}, answers ? bytes(member.database_bytes) : "–"));
    }));
  }
}

function row(publisher) {
  const state = el("span");
  showState(state, publisher.reachable ? publisher.state : "UNREACHABLE");
  const reaches = publisher.reaches_etcd;
  const etcd = !isNumber(reaches) ? el("span", {}, "–")
    : el("span", { class: `state ${reaches ? "good" : "bad"}` }, reaches ? "● answers" : "✕ FAILS");
  return el("tr", { "data-publisher": publisher.publisher, title: publisher.endpoint },
    el("th", { scope: "row" }, publisher.publisher),
    el("td", {}, publisher.leads ? "leader" : "standby"), el("td", {}, state),
    el("td", {}, isNumber(publisher.lag) ? count(publisher.lag) : "–"), el("td", {}, etcd));
}

class NodeCard {
  #state = el("span");
  #why = el("p", { class: "why", hidden: true });
  #place = el("p", { class: "place" });
  #facts = new Facts();
  #memory = new Bar("Memory");
  #disk = new Bar("Disk");
  #cells = el("span", { class: "cells" });
  #table = el("tbody");
  #details;
  #told = null;
  root;

  constructor(name) {
    this.#details = el("details", {},
      el("summary", {}, el("span", {}, "Shards"), this.#cells),
      el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": `shards of ${name}` },
        el("table", {},
          el("thead", {}, el("tr", {},
            ...shardColumns.map(each => el("th", { scope: "col" }, each)))), this.#table)));
    this.root = el("li", { class: "card", "data-node": name },
      el("div", { class: "title" }, el("h3", {}, name), this.#state),
      this.#place, this.#why, this.#facts.root,
      el("div", { class: "bars" }, this.#memory.root, this.#disk.root),
      this.#details);
  }

  /** `slots`: how many it owns, as the publisher told; undefined where the log assigns none. */
  show(node, rates, slots, now) {
    showState(this.#state, node.reachable ? node.state : "UNREACHABLE");
    this.root.classList.toggle("away", !node.reachable);
    const [first, ...others] = node.endpoints.filter(each => each);
    say(this.#place, (first ?? "has told no place yet") + (others.length ? ` and ${others.length} more` : "")
      + (node.weight === 1 || slots !== undefined ? "" : ` · weight ${node.weight}`));
    this.#explain(node);
    this.#facts.set("applied", node.applied);
    this.#facts.set("lag", node.lag === null || node.lag === undefined ? "not known" : count(node.lag));
    this.#facts.set("lease", lease(node));
    this.#facts.setOnceKnown("slots", slots);
    this.#facts.set("lookups", node.reachable && rates ? `${rate(rates.lookups)}/s` : "–");
    this.#facts.set("hit ratio", node.reachable && isNumber(rates?.ratio) ? percent(rates.ratio) : "–");
    if (!node.reachable) return;
    this.#told = now;
    this.#showTiers(node.figures);
    this.#showShards(node.shards, node.endpoints);
  }

  /** Why the state is not good, and the age of the values below; or what is being copied. */
  #explain(node) {
    const doubtful = node.reachable ? node.shards.find(shard => shard.state !== "LIVE") : null;
    let words = "";
    if (!node.reachable) {
      const since = this.#told ? ` What stands below it told at ${time(this.#told)}.` : "";
      words = `${capital(node.why)}.${since}`;
    } else if (doubtful) {
      const long = doubtful.figures.state_ms;
      words = capital(reasons[doubtful.reason] ?? "it is not live");
      words += long ? `, for ${span(long)}.` : ".";
    } else if (node.reachable) {
      words = filling(node.figures);
    }
    this.#why.hidden = !words;
    this.#why.classList.toggle("busy", node.reachable && !doubtful);
    say(this.#why, words);
  }

  #showTiers(figures) {
    const { memory_bytes: used = 0, memory_bytes_max: most = 0, entries = 0 } = figures;
    this.#memory.show(
      used / most, `${bytes(used)} of ${bytes(most)} · ${many(entries, "entry", "entries")}`);
    const hasDisk = figures.disk_bytes_max > 0;
    this.#disk.root.hidden = !hasDisk;
    if (!hasDisk) return;
    const held = many(figures.disk_entries ?? 0, "entry", "entries");
    this.#disk.show(0, `${held} in ${bytes(figures.disk_bytes_max)}`);
    this.#disk.root.classList.add("unmeasured");
  }

  #showShards(shards, endpoints) {
    this.#cells.replaceChildren(...shards.map(shard => el("span", {
      class: `cell ${lookOf(shard.state)}`, title: `shard ${shard.shard}: ${shard.state}`,
    }, el("span", { class: "unseen" }, `${shard.shard} ${shard.state} `))));
    // Updated while open; a closed one may wait.
    this.#table.replaceChildren(...shards.map((shard, n) => {
      const { figures } = shard;
      const hits = (figures.hits ?? 0) + (figures.stale_hits ?? 0);
      const lookups = hits + (figures.misses ?? 0);
      return el("tr", {}, el("th", { scope: "row" }, `${shard.shard}`), ...[
        shard.state, shard.applied, isNumber(shard.lag) ? count(shard.lag) : "–",
        isNumber(shard.lease_ms) ? span(shard.lease_ms) : "none", count(figures.entries ?? 0),
        bytes(figures.memory_bytes ?? 0), figures.disk_bytes_max ? count(figures.disk_entries) : "–",
        big(lookups), lookups ? percent(hits / lookups) : "–", endpoints[n] ?? "–",
      ].map(text => el("td", {}, text)));
    }));
  }
}

/** What a LIVE node has not copied yet from replicas, or from the owners before of slots that it got. */
function filling({ warm_up_phase: phase, warm_up_done: done = 0, warm_up_keys: keys = 0 }) {
  switch (phase) {
    case 1: return "Is being filled: it asks another node what that holds.";
    case 2: return `Is being filled: ${count(done)} of ${count(keys)} keys of another node are here.`;
    case 5: return "Is empty, and waits for a LIVE replica to be filled from.";
    default: return "";
  }
}

/** A node's lease: it may call values fresh until its end, and invalidations wait for it. */
function lease(node) {
  if (isNumber(node.lease_ms)) return `${node.reachable ? "" : "owed "}${span(node.lease_ms)}`;
  return node.reachable ? "none" : "over";
}

const isNumber = value => value !== null && value !== undefined;
