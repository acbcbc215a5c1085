import CacheConfiguration
import Foundation
import MartletClient

/// What a load test does, with every flag checked.
struct BenchPlan: Sendable {
    static let keyBytes = 16

    var endpoints: [String]
    var loadsFirst: Bool
    var duration: Duration
    var concurrency: Int
    var batch: Int
    var keyCount: Int
    var valueBytes: Int
    var readShare: Double
    var distribution: KeyDistribution
    var seed: UInt64

    init(_ command: BenchCommand) throws {
        let cluster =
            command.cluster ?? ProcessInfo.processInfo.environment["MARTLET_CLUSTER"]
            ?? "tcp://127.0.0.1:7400"
        endpoints = cluster.split(separator: ",").map(String.init)
        loadsFirst = command.load
        do {
            duration = try DurationText.parse(command.duration)
            valueBytes = try ByteSizeText.parse(command.value)
        } catch {
            throw CommandFailure(.wrongUsage, "\(error)")
        }
        concurrency = command.concurrency
        batch = command.batch
        keyCount = command.keys
        readShare = command.read
        distribution = command.distribution
        seed = command.seed
        try check()
    }

    private func check() throws {
        let bounds: [(Bool, String)] = [
            (!endpoints.isEmpty, "--cluster names no endpoint"),
            (duration > .zero && duration <= .seconds(86_400), "--duration is at most 24h"),
            ((1...4_096).contains(concurrency), "--concurrency is 1 to 4096"),
            ((1...1_024).contains(batch), "--batch is 1 to 1024"),
            ((1...1_000_000_000).contains(keyCount), "--keys is 1 to 1000000000"),
            (valueBytes <= 512 << 10, "--value is at most 512KiB: larger ones travel in chunks"),
            ((0...1).contains(readShare), "--read is a share, 0 to 1"),
        ]
        for (holds, sentence) in bounds where !holds { throw CommandFailure(.wrongUsage, sentence) }
    }

    /// What was asked for, in one line.
    var subject: String {
        let reads = String(format: "%g", readShare * 100)
        return """
            \(BenchReport.grouped(UInt64(keyCount))) keys of \(Self.keyBytes) B, values of \
            \(valueBytes) B, \(distribution), \(reads) % reads, \(concurrency) in flight, \
            batches of \(batch)
            """
    }

    /// Writes the key of that number: `k` and fifteen digits.
    static func writeKey(_ number: Int, into key: UnsafeMutableRawBufferPointer) {
        var rest = number
        for index in stride(from: keyBytes - 1, to: 0, by: -1) {
            key[index] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
        key[0] = UInt8(ascii: "k")
    }
}
