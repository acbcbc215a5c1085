package import CacheModel
import CacheClientCore
import CacheWire
import Threading

/// Prefetching of keys, as fast as the pace allows. Keys to retry come before new ones.
///
///     source ─▶ ahead ─┐                    ┌─ well, or for good ─▶ hear
///                      ├─ pace ─▶ one task ─┤
///            again ────┘            a key   └─ pushed back ─▶ again, four times at most
///
/// One task of the caller owns all of it. When it is cancelled, or `hear` throws, nothing more is
/// requested. Requests in flight are given up here and continue at the nodes.
package struct PrefetchRun: Sendable {
    /// A key, and its index among all keys.
    package struct Item: Hashable, Sendable {
        package var number: Int
        package var key: CacheKey

        package init(number: Int, key: CacheKey) {
            self.number = number
            self.key = key
        }
    }

    package enum News: Sendable {
        case ended(Item, Result<PrefetchOutcome, CacheError>)
        /// Nothing is requested until the pause is over, for this reason.
        case resting(Duration, CacheError)
    }

    package static let triesMax = 5

    private struct Attempt: Sendable {
        var item: Item
        var triesLeft: Int
    }

    private enum Happening: Sendable {
        case came([Item])
        /// The source has ended with this error.
        case brokeOff(any Error)
        case ended(Attempt, PrefetchEnding)
        case woke
    }

    private struct Progress {
        var pace: PrefetchPace
        var ahead: ArraySlice<Item> = []
        var again: [Attempt] = []
        var isOver = false
        var isPulling = false
        var isAsleep = false

        mutating func take() -> Attempt? {
            if !again.isEmpty { return again.removeFirst() }
            return ahead.popFirst().map { Attempt(item: $0, triesLeft: PrefetchRun.triesMax) }
        }

        var hasNext: Bool { !again.isEmpty || !ahead.isEmpty }
        var isDone: Bool { isOver && !hasNext && pace.inFlight == 0 }
    }

    private typealias Group = ThrowingTaskGroup<Happening, any Error>

    private let client: CacheClient
    private let namespace: Namespace
    private let options: PrefetchOptions

    /// - Throws: ``CacheError/Code/invalidArgument`` if an option is out of its bounds.
    package init(
        _ client: CacheClient, in namespace: Namespace, _ options: PrefetchOptions
    ) throws(CacheError) {
        guard options.perSecond.map({ (1...1_000_000).contains($0) }) ?? true else {
            throw CacheError(.invalidArgument, "a rate is 1 to 1000000 keys a second")
        }
        guard (1...1_024).contains(options.inFlightMax) else {
            throw CacheError(.invalidArgument, "1 to 1024 keys can be under way at a time")
        }
        _ = try client.loop.deadline(options.timeout)
        self.client = client
        self.namespace = namespace
        self.options = options
    }

    /// Prefetches every key of `source`.
    ///
    /// - Parameters:
    ///   - source: the next keys, as many as there are now; an empty result ends the run.
    ///   - hear: receives the outcome of every key once, in no order.
    /// - Throws: errors of `source`, once its earlier keys have ended; errors of `hear`, and
    ///   `CancellationError`, at once.
    package func carryOut(
        from source: @escaping @Sendable () async throws -> [Item],
        _ hear: (News) async throws -> Void
    ) async throws {
        var progress = Progress(
            pace: PrefetchPace(
                perSecond: options.perSecond, inFlightMax: options.inFlightMax,
                now: MonotonicClock.now))
        var fault: (any Error)?
        try await withThrowingTaskGroup(of: Happening.self) { group in
            while true {
                try Task.checkCancellation()
                begin(&progress, in: &group)
                if progress.ahead.isEmpty, !progress.isOver, !progress.isPulling {
                    progress.isPulling = true
                    group.addTask {
                        do {
                            return .came(try await source())
                        } catch {
                            return .brokeOff(error)
                        }
                    }
                }
                guard !progress.isDone, let happening = try await group.next() else { break }
                try Task.checkCancellation()
                switch happening {
                case .came(let items):
                    progress.isPulling = false
                    progress.isOver = items.isEmpty
                    progress.ahead = items[...]
                case .brokeOff(let error):
                    progress.isPulling = false
                    progress.isOver = true
                    fault = error
                case .ended(let attempt, let ending):
                    if let news = ended(attempt, ending, &progress) { try await hear(news) }
                case .woke: progress.isAsleep = false
                }
            }
            group.cancelAll()
        }
        if let fault { throw fault }
    }

    /// Prefetches keys.
    ///
    /// - Returns: for each key, in their order, the outcome; after a cancellation
    ///   ``CacheError/Code/cancelled`` for keys without one.
    func results(of keys: [CacheKey]) async -> [Result<PrefetchOutcome, CacheError>] {
        let cancelled = CacheError(.cancelled, "the task that asked was cancelled")
        var results = [Result<PrefetchOutcome, CacheError>](
            repeating: .failure(cancelled), count: keys.count)
        let source = Guarded(keys.enumerated().map { Item(number: $0.offset, key: $0.element) })
        do {
            try await carryOut(
                from: {
                    source.withLock { items in
                        defer { items = [] }
                        return items
                    }
                },
                { news in
                    if case .ended(let item, let result) = news { results[item.number] = result }
                })
        } catch {
            // Neither the source nor the listener throws: the task was cancelled.
        }
        return results
    }

    /// Starts as many keys as the pace allows, and sleeps until it allows more.
    private func begin(_ progress: inout Progress, in group: inout Group) {
        while progress.hasNext {
            switch progress.pace.next(now: MonotonicClock.now) {
            case .ask:
                guard let attempt = progress.take() else { return }
                group.addTask { [client, namespace, options] in
                    .ended(
                        attempt,
                        await client.reader.prefetch(attempt.item.key, in: namespace, options))
                }
            case .full: return
            case .rest(let until):
                guard !progress.isAsleep else { return }
                progress.isAsleep = true
                let left = until.elapsed(since: MonotonicClock.now)
                group.addTask {
                    try await Task.sleep(for: left)
                    return .woke
                }
                return
            }
        }
    }

    private func ended(
        _ attempt: Attempt, _ ending: PrefetchEnding, _ progress: inout Progress
    ) -> News? {
        guard ending.isPushedBack, case .failure(let error) = ending.result else {
            progress.pace.endedWell()
            return .ended(attempt.item, ending.result)
        }
        let now = MonotonicClock.now
        progress.pace.pushedBack(retryAfter: ending.retryAfter, now: now)
        guard attempt.triesLeft > 1 else { return .ended(attempt.item, ending.result) }
        progress.again.append(Attempt(item: attempt.item, triesLeft: attempt.triesLeft - 1))
        return .resting(progress.pace.rest(now: now), error)
    }
}

struct PrefetchEnding: Sendable {
    var result: Result<PrefetchOutcome, CacheError>
    /// Whether capacity was missing or no node could answer: a retry may succeed.
    var isPushedBack = false
    /// The requested pause before a retry, if any.
    var retryAfter: Duration?

    /// The outcome of several nodes: a failure if there is one, or else the least of their
    /// outcomes.
    init(_ parts: [PrefetchEnding]) {
        guard var worst = parts.first else {
            preconditionFailure("a key is asked of one node at least")
        }
        for part in parts.dropFirst() where part.gravity > worst.gravity { worst = part }
        self = worst
        retryAfter = parts.compactMap(\.retryAfter).max()
    }

    init(_ outcome: DataRequest.Outcome?) {
        do throws(CacheError) {
            self.init(try DataRequest.answer(outcome))
        } catch {
            self.init(error)
        }
    }

    init(_ error: CacheError) {
        result = .failure(error)
        isPushedBack = Self.isPassing(error)
    }

    init(_ answer: OperationAnswer) {
        let wasLoaded = answer.detail == Tier.origin.rawValue
        switch answer.status {
        case .hit: result = .success(wasLoaded ? .loaded : .fresh)
        case .miss: result = .success(answer.flags.contains(.negative) ? .absent : .notKept)
        default:
            let error = CacheError(answer)
            result = .failure(error)
            isPushedBack = Self.isPassing(error)
            retryAfter = answer.retryAfter
        }
    }

    private var gravity: Int {
        switch result {
        case .success(let outcome): outcome.rawValue
        // A permanent failure says more than a passing one.
        case .failure: PrefetchOutcome.allCases.count + (isPushedBack ? 0 : 1)
        }
    }

    private static func isPassing(_ error: CacheError) -> Bool {
        switch error.code {
        case .busy, .timedOut, .disconnected, .behind: true
        case .loadFailed:
            switch error.loadFailure {
            case .timedOut, .stillLoading, .unreachable, .unavailable, .broken, .overloaded,
                .cancelled:
                true
            default: false
            }
        default: false
        }
    }
}
