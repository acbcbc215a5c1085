import ArgumentParser
import CacheConfiguration
import Foundation
import MartletClient

/// `martlet bench`: loads a cluster and says what it did.
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Load a cluster, closed loop, and report rate, hit ratio and latency.",
        discussion: """
            Keeps a fixed number of operations on their way: the next is sent when one is \
            answered. Latency counts from sending a message to its answer.

            Examples:
              martlet bench --load --duration 10s
              martlet bench --load --batch 64 --concurrency 8 --read 1 --distribution uniform
              gzip -dc trace.csv.gz | martlet bench --trace -
            """)

    @Option(
        help: ArgumentHelp(
            "A publisher or node, several separated by commas; else $MARTLET_CLUSTER.",
            valueName: "endpoints"))
    var cluster: String?

    @Flag(help: "Store every key once before the measurement begins.")
    var load = false

    @Option(help: "How long to measure.")
    var duration = "10s"

    @Option(help: "Operations on their way at once; messages, if --batch is above 1.")
    var concurrency = 64

    @Option(help: "Operations in one message: 1 to 1024.")
    var batch = 1

    @Option(help: "Number of different keys, of 16 bytes each.")
    var keys = 1_000_000

    @Option(help: ArgumentHelp("Size of a value.", valueName: "size"))
    var value = "100B"

    @Option(help: "Share of reads, 0 to 1; the others are stores.")
    var read = 0.95

    @Option(help: "zipf:EXPONENT, uniform or sequential.")
    var distribution: KeyDistribution = .zipf(exponent: 0.99)

    @Option(
        help: ArgumentHelp(
            """
            Instead: replay these requests (lines of time,key,size; - is standard input) as an \
            application with a database behind the cache would, by load.
            """, valueName: "file"))
    var trace: String?

    @Option(help: "Seed of the keys asked for.")
    var seed: UInt64 = 1

    @Flag(help: "One JSON object instead of a table.")
    var json = false

    func run() async throws {
        let plan = try BenchPlan(self)
        let report =
            if let trace {
                try await TraceReplay(plan, path: trace).run()
            } else {
                try await Self.onThread { try ClosedLoop.run(plan) }
            }
        print(json ? report.json : report.table)
        if report.operationCount == 0 {
            throw CommandFailure(.unreachable, "nothing was answered: is the cluster up?")
        }
    }

    /// Runs on a thread of its own: the loop blocks, and the sockets belong to one thread.
    private static func onThread<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
        }
    }
}
