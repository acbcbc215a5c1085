import CacheModel
import Foundation
import Histogram
import MartletClient
import Threading

/// The closed loop: as many messages on their way as asked for, each answered one replaced at
/// once. One thread, one pipelined connection.
struct ClosedLoop: ~Copyable {
    private let plan: BenchPlan
    private var connection: PipelinedConnection
    private let key = UnsafeMutableRawBufferPointer.allocate(
        byteCount: BenchPlan.keyBytes, alignment: 8)
    private let value: [UInt8]
    private var tally = BenchTally()

    /// Connects, loads if asked to, measures.
    ///
    /// - Throws: ``CommandFailure`` if the cluster cannot be reached.
    static func run(_ plan: BenchPlan) throws -> BenchReport {
        do throws(CacheError) {
            var options = PipelinedConnection.Options()
            options.window = plan.concurrency
            options.batch = plan.batch
            var loop = ClosedLoop(
                plan, try PipelinedConnection(endpoints: plan.endpoints, options: options))
            if plan.loadsFirst { try loop.loadEveryKey() }
            return try loop.measure()
        } catch {
            throw CommandFailure(.unreachable, error.message)
        }
    }

    private init(_ plan: BenchPlan, _ connection: consuming PipelinedConnection) {
        self.plan = plan
        self.connection = connection
        value = Array(repeating: UInt8(ascii: "v"), count: plan.valueBytes)
    }

    deinit {
        key.deallocate()
    }

    private mutating func loadEveryKey() throws(CacheError) {
        let progress = BenchProgress("storing", total: plan.keyCount)
        for number in 0..<plan.keyCount {
            while !submit(number, isRead: false) { try take() }
            if number % 65_536 == 0 { progress.show(number) }
        }
        connection.flush()
        while connection.inFlightCount > 0 { try take() }
        progress.finish()
    }

    private mutating func measure() throws(CacheError) -> BenchReport {
        tally = BenchTally()
        var keys = KeyGenerator(plan.distribution, count: plan.keyCount, seed: plan.seed)
        let start = MonotonicClock.now
        let end = start.advanced(by: plan.duration)
        while MonotonicClock.now < end {
            fill(&keys)
            try take()
        }
        connection.flush()
        while connection.inFlightCount > 0 { try take() }
        let seconds = MonotonicClock.now.elapsed(since: start) / .seconds(1)
        return tally.report(subject: plan.subject, seconds: seconds, batch: plan.batch)
    }

    /// Submits until the window is full.
    private mutating func fill(_ keys: inout KeyGenerator) {
        while true {
            let isRead = plan.readShare == 1 || keys.unit() < plan.readShare
            guard submit(keys.draw(), isRead: isRead) else { break }
        }
    }

    private mutating func submit(_ number: Int, isRead: Bool) -> Bool {
        BenchPlan.writeKey(number, into: key)
        if isRead {
            return connection.submitGet(key: UnsafeRawBufferPointer(key), tag: 0)
        }
        return value.withUnsafeBytes {
            connection.submitSet(key: UnsafeRawBufferPointer(key), value: $0, tag: 0)
        }
    }

    /// Takes what is answered; gives up what has not been for five seconds.
    private mutating func take() throws(CacheError) {
        let now = MonotonicClock.now
        let taken = try connection.takeCompletions(limit: 256, timeout: .milliseconds(100)) {
            tally.note($1, sentAt: $3, now: now)
        }
        guard taken == 0 else { return }
        // Perhaps all that is open is messages that are not full: they are sent as they are.
        connection.flush()
        guard now.nanoseconds > 5_000_000_000 else { return }
        let moment = Instant(nanoseconds: now.nanoseconds - 5_000_000_000)
        _ = connection.giveUp(sentBefore: moment) { tally.note($1, sentAt: $3, now: now) }
    }
}
