import CacheModel

@testable import ConsoleCore

/// A console with a clock that stands still until it is told, and a cluster that is made up.
struct ConsoleBench {
    var console: ClusterConsole
    var now = Instant(nanoseconds: 1_000_000_000_000)
    var figures: [String: [String: UInt64]] = [:]
    var records: UInt64 = 0

    init(
        nodes: [String] = ["n1", "n2", "n3"], _ change: (inout ConsoleSettings) -> Void = { _ in }
    ) {
        var settings = ConsoleSettings(interval: .seconds(1), endpoints: "tcp://127.0.0.1:7400")
        change(&settings)
        console = ClusterConsole(settings, now: now)
        if !nodes.isEmpty { learnTopology(nodes) }
    }

    mutating func learnTopology(_ names: [String]) {
        let nodes = names.enumerated().map { index, name in
            TopologyObservation.Node(id(name), endpoints: ["tcp://127.0.0.1:\(7402 + index)"])
        }
        learn(
            .topology(
                TopologyObservation(
                    kind: "sharded", version: 1, publisher: "tcp://127.0.0.1:7400", nodes: nodes)))
    }

    mutating func learn(_ news: ClusterNews) { console.learn(news, now: now) }

    mutating func pass(_ duration: Duration = .seconds(1)) {
        now = now.advanced(by: duration)
        console.passTime(now: now)
    }

    /// The publisher has written so many records more.
    ///
    /// - Parameter slots: how many slots nodes have, and how many are waiting.
    mutating func publish(
        _ count: UInt64 = 0, lines: [NodeID: PublisherObservation.Line] = [:],
        slots: [String: UInt64] = [:]
    ) {
        records += count
        let told = slots.merging(["records": records]) { $1 }
        learn(
            .publisher(
                PublisherObservation(
                    state: .live, head: at(records), figures: told, lines: lines)))
    }

    /// A node answers, with so many gets more, three of four of them hits.
    mutating func answer(
        _ name: String, gets: UInt64 = 0, applied: UInt64? = nil, state: NodeState = .live,
        reason: String? = nil
    ) {
        var mine = figures[
            name,
            default: [
                "incarnation": 1, "gets": 0, "hits": 0, "stale_hits": 0, "misses": 0,
                "memory_bytes": 12_600, "memory_bytes_max": 268_435_456, "entries": 42,
                "lease_left_ms": 2_900, "applied_records": 0, "removed_evicted": 0, "loads": 0,
            ]]
        mine["gets", default: 0] += gets
        mine["hits", default: 0] += gets * 3 / 4
        mine["misses", default: 0] += gets - gets * 3 / 4
        figures[name] = mine
        let shard = NodeObservation.Shard(
            state: state, position: at(applied ?? records), figures: mine)
        learn(.node(id(name), NodeObservation(shards: [shard], state: state, reason: reason)))
    }

    mutating func vanish(_ name: String) {
        learn(.noNode(id(name), Absence(isDenial: false, sentence: "it does not answer")))
    }

    mutating func press(_ keys: String) {
        for scalar in keys.unicodeScalars { _ = console.press(.character(scalar), now: now) }
    }

    mutating func press(_ key: ConsoleKey) -> ConsoleAction { console.press(key, now: now) }

    func text(_ columns: Int = 80, _ rows: Int = 24) -> [String] { screen(columns, rows).text }

    func screen(_ columns: Int = 80, _ rows: Int = 24) -> Screen {
        console.screen(ScreenSize(columns: columns, rows: rows), now: now)
    }

    /// The names in the table, from above.
    var names: [String] { console.nodeRows(now: now).map(\.node.name) }

    func record(_ sequence: UInt64, _ scopes: [Scope]) -> InvalidationRecord {
        InvalidationRecord(
            position: at(sequence), previousDigest: LogDigest(0), operation: .none,
            strength: .hard, scopes: scopes)
    }
}

func at(_ sequence: UInt64) -> LogPosition {
    LogPosition(epoch: Epoch(1), sequence: SequenceNumber(sequence))
}

func id(_ name: String) -> NodeID {
    guard let node = NodeID(name) else { preconditionFailure("a test names nodes rightly") }
    return node
}
