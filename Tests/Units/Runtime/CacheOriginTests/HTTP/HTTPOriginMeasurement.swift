import CacheLoading
import CacheModel
import CacheOrigin
import Foundation
import TestSupport
import Threading
import Testing

/// What an attempt costs, against nginx on loopback. Not a check: run it in a release build with
/// `MARTLET_MEASURE=1`.
@Suite(
    .enabled(if: ProcessInfo.processInfo.environment["MARTLET_MEASURE"] != nil, "not asked for"),
    .enabled("nginx is not installed: ensure_nginx in deploy/lib.sh", Programs.haveNginx))
struct HTTPOriginMeasurement {
    @Test(arguments: [1_024, 65_536])
    func whatAnAttemptCosts(bytes: Int) async throws {
        try await TemporaryDirectory.with { folder in
            try folder.write([UInt8](repeating: 1, count: bytes), to: "files/f")
            try await Nginx.with(folder) { nginx in
                try await HTTPOrigin.with { origin in
                    let request = try OriginRequest.test(
                        "f", from: nginx.url, valueBytesMax: bytes)
                    await Self.run(request, count: 5_000, on: origin)
                    let count = 100_000
                    let begun = ContinuousClock.now
                    let before = Self.processorSeconds()
                    await Self.run(request, count: count, on: origin)
                    let seconds = begun.duration(to: .now) / .seconds(1)
                    let processor = Self.processorSeconds() - before
                    let rate = Int(Double(count) / seconds)
                    let cost = Int(processor / Double(count) * 1e6)
                    print("\(bytes) bytes: \(rate) requests a second, \(cost) µs of CPU each")
                }
            }
        }
    }

    /// Makes `count` attempts, 64 at a time; each that ends begins the next.
    private static func run(_ request: OriginRequest, count: Int, on origin: HTTPOrigin) async {
        let left = Left(count)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        chain(request, on: origin, left) { continuation.resume() }
                    }
                }
            }
        }
    }

    @Sendable private static func chain(
        _ request: OriginRequest, on origin: HTTPOrigin, _ left: Left,
        whenDone: @escaping @Sendable () -> Void
    ) {
        guard left.take() else { return whenDone() }
        origin.begin(request) { outcome in
            if outcome.reply?.status != 200 { Issue.record("\(outcome)") }
            chain(request, on: origin, left, whenDone: whenDone)
        }
    }

    private static func processorSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private final class Left: Sendable {
        private let count: Guarded<Int>

        init(_ count: Int) { self.count = Guarded(count) }

        func take() -> Bool {
            count.withLock { count in
                count -= 1
                return count >= 0
            }
        }
    }
}
