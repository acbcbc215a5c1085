import CacheModel

/// What a reader is told that found nothing and would fill the key.
package struct FillOffer: Hashable, Sendable {
    /// `nil`: it may not.
    package var right: LoadRight?
    /// When to ask again, because another client loads it; `nil`: none does.
    package var retryAfter: Duration?
    /// Why no client may fill it here now, where a node says so.
    package var reason: String?

    package init() {}

    /// In whole seconds, as `Retry-After` has it; at least 1.
    package var retryAfterSeconds: Int? {
        retryAfter.map { Int(clamping: max(1, ($0.wholeMilliseconds + 999) / 1_000)) }
    }

    /// What there is to do.
    package var problem: Problem {
        if right != nil {
            return Problem(
                .notFound,
                "the key is not there: load it, and PUT it with this \(LoadRight.field)")
        }
        if let retryAfterSeconds {
            return Problem(
                .notFound, "the key is not there, and another is loading it: ask again shortly",
                retryAfterSeconds: retryAfterSeconds)
        }
        let why = reason.map { ": \($0)" } ?? ""
        return Problem(.notFound, "the key is not there, and may not be filled now\(why)")
    }
}
