import ArgumentParser
import CacheModel
import CacheWire
import TestSupport
import ZeroMQ

/// One invalidation after the other, each until every node has obeyed.
struct WaitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "invalidate --wait all while nothing else goes on.")

    @OptionGroup var programs: ProgramOptions
    @Option var nodes = 3
    @Option var count = 200
    @Option var rounds = 5

    func run() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let file = try SynchronizedFile(directory.file("log"), reserving: 16 << 20)
        var plan = BenchmarkCluster.Plan()
        plan.nodeCount = nodes
        var (asked, disk, told) = (Sample(), Sample(), Sample())
        let context = try Context()
        try BenchmarkCluster.run(programs.martlet, plan) { cluster in
            let peer = try Peer(context, to: cluster.publisher)
            for _ in 0..<rounds {
                for index in 0..<count {
                    let frame = Asking.invalidation(
                        of: [try Asking.scope(ofKey: Asking.key(index))], wait: .all)
                    let began = Time.now
                    let receipt = try peer.ask(frame, Asking.receipt)
                    asked.add(Time.since(began))
                    guard receipt.isComplete, receipt.applied.count == nodes else {
                        throw GaveUp("a node has not applied")
                    }
                    for line in receipt.applied { told.add(line.elapsed / .nanoseconds(1)) }
                }
                for _ in 0..<count {
                    let began = Time.now
                    try file.append([UInt8](repeating: 7, count: 112))
                    disk.add(Time.since(began))
                }
            }
        }
        Report.print(
            "invalidate --wait all, \(nodes) nodes", percentilesOf: asked, asked: "≤ 2 ms")
        Report.print("of it from durable to the node's word, by receipts", percentilesOf: told)
        Report.print("a write of as many bytes and one fdatasync", percentilesOf: disk)
    }
}
