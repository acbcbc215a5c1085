import CacheModel
import CacheWire
import HeapModule

/// Invalidations to repeat, because a replica of the database may have served the old value after
/// nodes first applied them.
///
/// Each scope is repeated one replica lag after its *last* invalidation, which also serves as the
/// echo of an earlier one. Bounded: if there are too many scopes, their namespace is invalidated
/// instead, which hides more.
struct RepetitionSchedule {
    struct Echo: Hashable {
        let scope: Scope
        let strength: InvalidationRecord.Strength
    }

    private struct Entry: Comparable {
        let echo: Echo
        let dueAt: Instant

        static func < (left: Self, right: Self) -> Bool { left.dueAt < right.dueAt }
    }

    /// One for each echo, with its first due time; it may have been postponed since.
    private var queue = Heap<Entry>()
    private var dueAt: [Echo: Instant] = [:]

    var count: Int { dueAt.count }

    /// When the next one may be due.
    var nextDue: Instant? { queue.min?.dueAt }

    /// A scope was invalidated; it must be repeated after `lag`.
    ///
    /// - Complexity: O(log count).
    mutating func add(_ echo: Echo, after lag: Duration, now: Instant) {
        let due = now.advanced(by: lag)
        if let known = dueAt[echo] {
            dueAt[echo] = max(known, due)
        } else if dueAt.count < PublisherLimits.echoesMax || echo.isWhole {
            dueAt[echo] = due
            queue.insert(Entry(echo: echo, dueAt: due))
        } else {
            let scope = Scope(.namespace(echo.scope.parts.namespace))
            add(Echo(scope: scope, strength: echo.strength), after: lag, now: now)
        }
    }

    /// Removes and returns due echoes.
    ///
    /// - Returns: at most `countMax`.
    mutating func takeDue(at now: Instant, countMax: Int) -> [Echo] {
        var due: [Echo] = []
        while due.count < countMax, let first = queue.min, first.dueAt <= now {
            _ = queue.popMin()
            guard let last = dueAt[first.echo] else { continue }
            if last > first.dueAt {
                queue.insert(Entry(echo: first.echo, dueAt: last))
            } else {
                dueAt[first.echo] = nil
                due.append(first.echo)
            }
        }
        return due
    }
}

extension RepetitionSchedule.Echo {
    /// Namespaces and everything are few, and replace other scopes: they are always accepted.
    fileprivate var isWhole: Bool {
        switch scope.target {
        case .namespace, .everything: true
        case .key, .tag, .prefix: false
        }
    }
}
