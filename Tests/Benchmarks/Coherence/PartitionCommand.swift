import ArgumentParser
import CacheModel
import CacheWire
import Foundation
import TestSupport
import ZeroMQ

/// The publisher falls silent: for how long does a node go on calling an entry fresh?
struct PartitionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "partition", abstract: "A node that hears nothing stops calling fresh.")

    @OptionGroup var programs: ProgramOptions
    @Option(help: "The lease, in milliseconds.") var lease = 1_000
    @Option var rounds = 15

    func run() throws {
        var plan = BenchmarkCluster.Plan()
        plan.nodeCount = 1
        plan.lease = "\(lease)ms"
        plan.heartbeat = "\(lease / 5)ms"
        let context = try Context()
        var times = Sample()
        try BenchmarkCluster.run(programs.martlet, plan) { cluster in
            let watcher = try Peer(context, to: cluster.nodes[0])
            try watcher.send(Asking.stores(of: 0..<1))
            guard try watcher.receive(Asking.result).0 == .stored else {
                throw GaveUp("the entry was not stored")
            }
            for _ in 0..<rounds {
                try awaitFresh(watcher)
                // At any moment between two renewals.
                Time.pause(nanoseconds: .random(in: 0..<UInt64(lease) * 1_000_000))
                let began = Time.now
                kill(cluster.publisherID, SIGSTOP)
                defer { kill(cluster.publisherID, SIGCONT) }
                times.add(try lastFresh(watcher) - Double(began))
            }
        }
        let share = times.greatest / (Double(lease) * 1e6)
        Report.print(
            "last fresh answer after silence, of the lease, latest of \(rounds)",
            Report.number(share, digits: 4), asked: "≤ 1.01")
        Report.print("the same, in the median", Report.milliseconds(times.median))
        Report.print("the same, latest", Report.milliseconds(times.greatest))
    }

    private func awaitFresh(_ watcher: Peer) throws {
        let deadline = Time.now + 30_000_000_000
        while try watcher.ask(Asking.get(Asking.key(0)), Asking.result).0 != .hit {
            guard Time.now < deadline else { throw GaveUp("the node does not come back") }
            Time.pause(nanoseconds: 5_000_000)
        }
    }

    /// When the last answer came that called the entry fresh.
    private func lastFresh(_ watcher: Peer) throws -> Double {
        var last = Time.now
        let deadline = last + UInt64(lease) * 3_000_000
        while true {
            // An answer that called something fresh is not sent if the lease ran out meanwhile.
            guard let status = try status(watcher) else { continue }
            guard status == .hit else {
                guard status == .stale else { throw GaveUp("an answer of \(status as Any)") }
                return Double(last)
            }
            last = Time.now
            guard last < deadline else { throw GaveUp("the node never stops calling it fresh") }
            Time.pause(nanoseconds: 100_000)
        }
    }

    /// What is said of the entry; `nil` if nothing is.
    private func status(_ watcher: Peer) throws -> ResultStatus? {
        let id = Time.now
        try watcher.send(Asking.get(Asking.key(0), id: id))
        let deadline = Time.now + 50_000_000
        while Time.now < deadline {
            let answer = try watcher.take { message in
                message.requestID == id ? try Asking.result(message).0 : nil
            }
            if case .some(.some(let status)) = answer { return status }
            Time.pause(nanoseconds: 20_000)
        }
        return nil
    }
}
