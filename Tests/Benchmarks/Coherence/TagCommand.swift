import ArgumentParser
import CacheModel
import CacheWire
import TestSupport
import ZeroMQ

/// A tag of many entries on every node, invalidated with `--wait all`, beside a single key.
struct TagCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tag", abstract: "A tag of a million entries on each node, and one key.")

    @OptionGroup var programs: ProgramOptions
    @Option var nodes = 3
    @Option(help: "Entries on each node.") var entries = 1_000_000
    @Option(help: "Keys that are invalidated before each tag.") var keys = 15
    @Option var rounds = 11

    func run() throws {
        var plan = BenchmarkCluster.Plan()
        plan.nodeCount = nodes
        plan.memory = "1GiB"
        let context = try Context()
        var (key, tag) = (Sample(), Sample())
        try BenchmarkCluster.run(programs.martlet, plan) { cluster in
            let peer = try Peer(context, to: cluster.publisher)
            let shards = try cluster.nodes.map { try Peer(context, to: $0) }
            for round in 0..<rounds {
                let name = "tag-\(round)"
                for shard in shards { try Self.fill(shard, entries, tag: name) }
                for shard in shards { try expect(.hit, of: shard) }
                for index in 0..<keys {
                    let scope = try Asking.scope(ofKey: Asking.key(entries + index))
                    key.add(try nanoseconds(scope, peer))
                }
                tag.add(try nanoseconds(Asking.scope(ofTag: name), peer))
                for shard in shards { try expect(.miss, of: shard) }
            }
        }
        Report.print("receipt for one key, \(nodes) nodes", percentilesOf: key)
        Report.print("receipt for a tag of \(entries) entries on each", percentilesOf: tag)
        Report.print(
            "ratio of medians", Report.number(tag.median / key.median), asked: "as for a key")
    }

    private func nanoseconds(_ scope: Scope, _ peer: Peer) throws -> Double {
        let frame = Asking.invalidation(of: [scope], wait: .all)
        let began = Time.now
        let receipt = try peer.ask(frame, Asking.receipt)
        let time = Time.since(began)
        guard receipt.isComplete, receipt.applied.count == nodes else {
            throw GaveUp("a node has not applied")
        }
        return time
    }

    /// Stores every entry on a shard anew, under one tag. A shard does not ask whose a key is.
    static func fill(_ shard: Peer, _ entries: Int, tag name: String) throws {
        guard let tag = Tag(name) else { throw GaveUp("not a tag") }
        var (next, underWay) = (0, 0)
        while next < entries || underWay > 0 {
            while next < entries, underWay < 8 {
                let end = min(next + 1_000, entries)
                try shard.send(Asking.stores(of: next..<end, tags: [tag]))
                next = end
                underWay += 1
            }
            let (status, _) = try shard.receive(Asking.result)
            guard status == .stored else { throw GaveUp("not stored: \(status as Any)") }
            underWay -= 1
        }
    }

    /// Looks at a thousand of the entries.
    private func expect(_ expected: ResultStatus, of shard: Peer) throws {
        for part in 0..<1_000 {
            let key = Asking.key(part * max(1, entries / 1_000) % entries)
            let (status, _) = try shard.ask(Asking.get(key), Asking.result)
            guard status == expected else {
                throw GaveUp("\(status as Any) where \(expected) was expected")
            }
        }
    }
}
