import ArgumentParser
import CacheModel
import MartletClient

/// What is to be invalidated, and how much is to be waited for.
struct InvalidationRequest: Sendable {
    var scopes: [Scope]
    var strength = InvalidationRecord.Strength.hard
    var wait: InvalidationWait
    /// How long.
    var patience: Duration

    /// Refuses more scopes than one record has.
    static func check(count: Int) throws(ValidationError) {
        let most = InvalidationRecord.scopesMax
        guard count <= most else {
            throw ValidationError(
                "one invalidation has at most \(most) scopes, not \(count); "
                    + "use a tag or a prefix, or several commands")
        }
    }

    /// How long an order may wait for the count of what it covers; never more than a quarter of its
    /// time, which is the receipt's.
    private static let countPatience: Duration = .milliseconds(400)

    func carriedOut(by client: CacheClient) async throws(CacheError) -> InvalidationReport {
        let begun = ContinuousClock.now
        // An order that waits for no receipt does not wait for a count, either.
        let counts =
            wait == .none
            ? nil
            : await client.countCheaply(scopes, timeout: min(patience / 4, Self.countPatience))
        let left = patience - (ContinuousClock.now - begun)
        let receipt = try await client.invalidate(
            scopes, wait: wait, timeout: max(left, .milliseconds(1)), strength: strength)
        return InvalidationReport(
            order: self, receipt: receipt, covered: counts.map(EntryCount.init),
            cluster: client.cluster)
    }

    /// Counts what it would hide, and invalidates nothing.
    func counted(by client: CacheClient) async throws(CacheError) -> DryRunReport {
        let counts = try await client.count(scopes)
        return DryRunReport(order: self, counts: counts)
    }

    /// The scopes in a few words: `tag news`, `key a and 41 more`.
    var summary: String {
        guard let first = scopes.first else { return "nothing" }
        let more = scopes.count == 1 ? "" : " and \(scopes.count - 1) more"
        return first.line + more
    }
}
