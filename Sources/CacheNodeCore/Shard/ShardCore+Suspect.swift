import CacheLoading
import CacheMemory
import CacheModel
import CacheWire

/// What a node without a lease does in a namespace that says `serve-then-revalidate`.
///
///     last lease ends ─▶ within the window: what is held, nothing is asked
///                        after it: is the key due? ─▶ yes: its reader has the origin asked
///                                                     no: shares that, or gets what is held
extension ShardCore {
    /// Whether what is held of a key, and would be fresh with a lease, is the answer as it is.
    func toleratesUnvouched(_ lookup: Lookup, now: Instant) -> Bool {
        let window = namespaces.policy(of: lookup.namespace).suspectWindow
        if standing.hasVouched(within: window, of: now) || !options.guards.isOn(.suspectWindow) {
            return true
        }
        let wantsToken = lookup.operation.options.contains(.token)
        // A message that has waited is answered once more: a key that it waited for is not put
        // off, and another is answered as before.
        if let loadsAtHand, !wantsToken { return loadsAtHand.counts[lookup.index] == nil }
        switch pace.word(on: lookup.hash, now: now) {
        case .due: return false
        case .confirmed: return true
        case .asked: return !wantsToken && !isUnderWay(lookup)
        }
    }

    /// Whether the node is loading the key.
    private func isUnderWay(_ lookup: Lookup) -> Bool {
        let key = LoadKey(
            namespace: lookup.namespace.rawValue, bytes: [UInt8](lookup.operation.key))
        return loadTable.newest(of: key) != nil
    }

    /// How long a caller that wants to load waits for its turn; zero: it does not, or the load
    /// lease says how long.
    func paceLeft(of lookup: Lookup, now: Instant) -> Duration {
        guard leases.timeLeft(of: lookup.hash, now: now) <= .zero else { return .zero }
        return pace.timeLeft(of: lookup.hash, now: now)
    }
}
