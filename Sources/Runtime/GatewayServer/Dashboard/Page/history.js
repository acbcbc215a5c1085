// The gateway returns counters and gauges. Rates are computed here, from two answers. A node that
// was unreachable or restarted in between contributes nothing to that interval.

/** Ten minutes, with an answer every two seconds. */
const pointsMax = 300;

const counters = [
  "hits", "stale_hits", "misses", "sets", "disk_promoted", "loaded_hits", "removed_evicted",
];

export class History {
  points = [];
  /** By node: rates of the last interval. */
  rates = new Map();
  #last = null;

  /** Adds an answer that came at `now`, in milliseconds of the browser's clock. */
  add(cluster, now) {
    const sample = { now, nodes: new Map(), records: publishedRecords(cluster) };
    for (const node of cluster.nodes) if (node.reachable) sample.nodes.set(node.node, levels(node, now));
    if (this.#last) this.#push(point(this.#last, sample, cluster.nodes.length, this.rates));
    this.#last = sample;
  }

  /** No answer: the next point is not connected to the last one. */
  miss(now) {
    if (this.#last || this.points.at(-1)?.figures) this.#push({ time: now, figures: null });
    this.#last = null;
    this.rates.clear();
  }

  #push(point) {
    this.points.push(point);
    if (this.points.length > pointsMax) this.points.shift();
  }

  get latest() { return this.points.at(-1)?.figures ?? null; }
}

function publishedRecords(cluster) {
  const { reachable, figures } = cluster.publisher;
  return reachable ? { count: figures.records, at: cluster.head } : null;
}

function levels(node, now) {
  const figures = {};
  for (const name of counters) figures[name] = Number(node.figures[name] ?? 0);
  return {
    // When the node reported them: another node may have delayed the answer.
    time: now - (node.age_ms ?? 0), figures,
    run: (node.shards ?? []).map(shard => shard.incarnation).join(),
  };
}

function point(last, sample, total, rates) {
  const sums = {};
  let told = 0;
  rates.clear();
  for (const [name, is] of sample.nodes) {
    const was = last.nodes.get(name);
    if (!was || was.run !== is.run || is.time <= was.time) continue;
    const own = {};
    let fell = false;
    for (const counter of counters) {
      own[counter] = (is.figures[counter] - was.figures[counter]) / (is.time - was.time) * 1_000;
      fell ||= own[counter] < 0;
    }
    if (fell) continue;
    told += 1;
    rates.set(name, derived(own));
    for (const counter of counters) sums[counter] = (sums[counter] ?? 0) + own[counter];
  }
  const published = last.records && sample.records && sample.records.count >= last.records.count
    ? (sample.records.count - last.records.count) / (sample.now - last.now) * 1_000 : null;
  const figures = told ? derived(sums) : {};
  return { time: sample.now, figures: { ...figures, records: published, told, total } };
}

/** Hits count as memory hits, except entries that were just read from disk. */
function derived(own) {
  const hits = own.hits + own.stale_hits;
  const lookups = hits + own.misses;
  return {
    lookups, stores: own.sets, ratio: lookups > 0 ? hits / lookups : null,
    memory: Math.max(0, hits - own.disk_promoted), disk: own.disk_promoted,
    origin: own.loaded_hits, nobody: Math.max(0, own.misses - own.loaded_hits),
    evicted: own.removed_evicted,
  };
}
