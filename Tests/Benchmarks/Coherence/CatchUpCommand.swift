import ArgumentParser
import CacheModel
import CacheWire
import Foundation
import TestSupport
import ZeroMQ

/// A node stands still while many records are published, and goes on: how long until it has applied
/// them all? It is stopped and continued by signals; the others go on.
struct CatchUpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catch-up", abstract: "A node that missed many records is at the head again.")

    @OptionGroup var programs: ProgramOptions
    @Option var nodes = 3
    @Option var missed = 1_000_000
    @Option var rounds = 3

    func run() throws {
        var plan = BenchmarkCluster.Plan()
        plan.nodeCount = nodes
        let context = try Context()
        var times = Sample()
        try BenchmarkCluster.run(programs.martlet, plan) { cluster in
            let peer = try Peer(context, to: cluster.publisher)
            guard let shard = cluster.nodes.last, let process = cluster.nodeIDs.last else {
                throw GaveUp("there is no node")
            }
            let watcher = try Peer(context, to: shard)
            for round in 1...rounds {
                let before = try watcher.ask(Asking.status(), Asking.report)
                let time = try miss(process, peer, watcher)
                let after = try watcher.ask(Asking.status(), Asking.report)
                let forgotten = after.figure("forgotten") - before.figure("forgotten")
                print("round \(round): \(Report.milliseconds(time)), forgot \(forgotten) times")
                guard forgotten == 0 else { throw GaveUp("the node gave the log up") }
                times.add(time)
            }
        }
        Report.print(
            "\(missed) records missed, at the head again after",
            Report.number(times.median / 1e9) + " s", asked: "≤ 2 s")
        Report.print("the slowest of \(times.count)", Report.number(times.greatest / 1e9) + " s")
    }

    private func miss(_ process: Int32, _ peer: Peer, _ watcher: Peer) throws -> Double {
        let frames = try (0..<64).map {
            Asking.invalidation(
                of: [try Asking.scope(ofKey: Asking.key($0))], wait: .none)
        }
        kill(process, SIGSTOP)
        defer { kill(process, SIGCONT) }
        let head = try Flood.run(peer, count: missed, window: Flood.windowMax) {
            frames[$0 % frames.count]
        }
        // It lies in the stopped node's queue, and is answered when the node is there.
        try watcher.send(Asking.get(Asking.key(0), atLeast: head))
        Time.pause(nanoseconds: 500_000_000)
        let began = Time.now
        kill(process, SIGCONT)
        let (status, proof) = try watcher.receive(within: .seconds(120), Asking.result)
        guard status == .miss, proof.position >= head else {
            throw GaveUp("the node did not come back: \(status as Any)")
        }
        return Time.since(began)
    }
}
