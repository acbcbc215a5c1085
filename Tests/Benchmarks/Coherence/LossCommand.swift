import ArgumentParser
import CacheModel
import CacheWire
import Foundation
import TestSupport
import ZeroMQ

/// A record is lost on its way to a node, with the heartbeat that follows it: how long until the
/// node has noticed, asked, and applied it?
struct LossCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "loss", abstract: "A lost message is noticed and replayed.")

    @OptionGroup var programs: ProgramOptions
    @Option var rounds = 15
    @Option(help: "Milliseconds; the default of the configuration.") var heartbeat = 500

    func run() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let context = try Context()
        let port = Int.random(in: 20_000..<31_900)
        let (control, live) = ("tcp://127.0.0.1:\(port)", "tcp://127.0.0.1:\(port + 1)")
        let shard = "tcp://127.0.0.1:\(port + 2)"
        let relay = try Relay(from: live, context)
        defer { relay.stop() }
        let publisher = try ChildProcess(
            programs.martlet,
            [
                "publisher", "--bind", control, "--live", live, "--advertise-live",
                relay.endpoint, "--nodes", "1", "--log", directory.file("log").path,
            ], name: "publisher", in: directory)
        defer { publisher.stop() }
        let node = try ChildProcess(
            programs.martlet,
            [
                "node", "--id", "n1", "--publisher", control, "--live", relay.endpoint, "--bind",
                shard,
            ], name: "node", in: directory)
        defer { node.stop() }
        let peer = try Peer(context, to: control)
        let watcher = try Peer(context, to: shard)
        try awaitLive(watcher, errors: { publisher.errors + node.errors })
        var times = Sample()
        for round in 0..<rounds { times.add(try lose(round, peer, watcher, relay)) }
        let unit = Double(heartbeat) * 1e6
        Report.print(
            "a lost record is applied after, heartbeats, slowest of \(rounds)",
            Report.number(times.greatest / unit), asked: "≤ 2")
        Report.print("the same, p50", Report.milliseconds(times.median))
    }

    private func awaitLive(_ watcher: Peer, errors: () -> String) throws {
        let deadline = Time.now + 30_000_000_000
        while try watcher.ask(Asking.status(), Asking.report).state != .live {
            guard Time.now < deadline else { throw GaveUp("the node is not live: \(errors())") }
            Time.pause(nanoseconds: 20_000_000)
        }
    }

    private func lose(
        _ round: Int, _ peer: Peer, _ watcher: Peer, _ relay: Relay
    ) throws -> Double {
        // At any moment between two heartbeats.
        Time.pause(nanoseconds: .random(in: 100_000_000..<700_000_000))
        let frame = Asking.invalidation(
            of: [try Asking.scope(ofKey: Asking.key(round))], wait: .none)
        relay.set(losing: true)
        let position = try peer.ask(frame, Asking.receipt).position
        try watcher.send(Asking.get(Asking.key(round), atLeast: position))
        let deadline = Time.now + 5_000_000_000
        while relay.seen.lostCount < 2 {
            guard Time.now < deadline else { throw GaveUp("nothing was there to lose") }
            Time.pause(nanoseconds: 100_000)
        }
        relay.set(losing: false)
        let (_, proof) = try watcher.receive(Asking.result)
        let time = Time.since(relay.seen.lostAt)
        guard proof.position >= position else { throw GaveUp("the node answered without it") }
        return time
    }
}
