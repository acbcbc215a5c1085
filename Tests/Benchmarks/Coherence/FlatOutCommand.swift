import ArgumentParser
import CacheModel
import CacheWire
import TestSupport
import ZeroMQ

/// As many key invalidations as go through, the log on disk.
///
/// A run ends when every node answers a read that had to wait for the last record.
struct FlatOutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flat-out", abstract: "Key invalidations a second, in batches.")

    @OptionGroup var programs: ProgramOptions
    @Option var nodes = 3
    @Option(help: "Keys of 16 bytes in one invalidation.") var keys = 1_000
    @Option(help: "Invalidations in a run.") var count = 4_000
    @Option(help: "Invalidations under way.") var window = 64
    @Option(help: "Invalidations of one key in a run; 0: none.") var singles = 100_000
    @Option var rounds = 3

    /// A record of so many keys of 16 bytes.
    private var recordBytes: Int { 48 + 24 * keys }

    func run() throws {
        var (martlet, single, bare, ratio) = (Sample(), Sample(), Sample(), Sample())
        for round in 1...rounds {
            let bareRate = try bareRun()
            let rates = try martletRun()
            print(
                "round \(round): bare \(Report.rate(bareRate)), martlet \(Report.rate(rates[0]))")
            bare.add(bareRate)
            martlet.add(rates[0])
            single.add(rates[1])
            ratio.add(rates[0] / bareRate)
        }
        Report.print(
            "keys invalidated on each of \(nodes) nodes, \(keys) a record",
            Report.rate(martlet.median), asked: "≥ 0.5 M/s")
        if singles > 0 {
            Report.print(
                "keys invalidated on each, one a record", Report.rate(single.median))
        }
        Report.print("libzmq and fdatasync, the same bytes", Report.rate(bare.median))
        Report.print("of what libzmq moves", Report.number(ratio.median))
    }

    private func martletRun() throws -> [Double] {
        var plan = BenchmarkCluster.Plan()
        plan.nodeCount = nodes
        let context = try Context()
        let frames = try (0..<256).map { part in
            let scopes = try (0..<keys).map {
                try Asking.scope(ofKey: Asking.key(part * keys + $0))
            }
            return Asking.invalidation(of: scopes, wait: .none)
        }
        return try BenchmarkCluster.run(programs.martlet, plan) { cluster in
            let peer = try Peer(context, to: cluster.publisher)
            let watchers = try cluster.nodes.map { try Peer(context, to: $0) }
            for watcher in watchers { _ = try watcher.ask(Asking.status(), Asking.report) }
            let batched = try timed(watchers) {
                try Flood.run(peer, count: count, window: window) { frames[$0 % frames.count] }
            }
            guard singles > 0 else { return [Double(count * keys) / batched * 1e9, 0] }
            let scopes = try (0..<64).map { try Asking.scope(ofKey: Asking.key($0)) }
            let small = scopes.map { Asking.invalidation(of: [$0], wait: .none) }
            let single = try timed(watchers) {
                try Flood.run(peer, count: singles, window: Flood.windowMax) {
                    small[$0 % small.count]
                }
            }
            return [Double(count * keys) / batched * 1e9, Double(singles) / single * 1e9]
        }
    }

    /// Nanoseconds until every node has applied what `body` published last.
    private func timed(_ watchers: [Peer], _ body: () throws -> LogPosition) throws -> Double {
        let began = Time.now
        let last = try body()
        for watcher in watchers {
            try watcher.send(Asking.get(Asking.key(0), atLeast: last))
        }
        for watcher in watchers {
            let (status, proof) = try watcher.receive(within: .seconds(120), Asking.result)
            guard status == .miss, proof.position >= last else {
                throw GaveUp("a node did not apply what was published: \(status as Any)")
            }
        }
        return Time.since(began)
    }

    private func bareRun() throws -> Double {
        try BareCluster.run(subscribers: nodes, Context()) { cluster in
            let began = Time.now
            for number in 0..<count {
                try cluster.send(number, isAnswered: number == count - 1, bytes: recordBytes)
            }
            let arrivals = try cluster.arrivals(each: 1)
            let ended = arrivals.map(\.heardAt).max() ?? began
            return Double(count * keys) / Double(ended - began) * 1e9
        }
    }
}
