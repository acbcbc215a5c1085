import CacheLoading
import CacheMemory
import CacheModel
import CacheWire

/// Reads on a node without a lease, in a namespace with `serve-then-revalidate`.
///
///     last lease ends ─▶ within the window: the held entry, without a request
///                        after it: is the key due? ─▶ yes: its reader causes a load
///                                                     no: shares that, or gets the held entry
extension ShardCore {
    /// Whether the held entry of a key, if it would be fresh with a lease, is the answer without a
    /// load.
    func toleratesUnvouched(
        _ lookup: Lookup, _ context: borrowing RequestContext
    ) -> Bool {
        let window = namespaces.policy(of: context.namespace).suspectWindow
        if log.standing.hasVouched(within: window, of: context.now)
            || !options.guards.isOn(.suspectWindow)
        {
            return true
        }
        let wantsToken = lookup.operation.options.contains(.token)
        // A message that has waited is answered again: a key that it waited for must not be loaded
        // once more, and any other is answered as before.
        if let loads = context.loads, !wantsToken { return loads.counts[lookup.index] == nil }
        let namespace = context.namespace.rawValue
        return loads.needsNoRevalidation(
            of: lookup.hash,
            LoadKey(namespace: namespace, bytes: [UInt8](lookup.operation.key)),
            wantsToken: wantsToken, now: context.now)
    }
}
