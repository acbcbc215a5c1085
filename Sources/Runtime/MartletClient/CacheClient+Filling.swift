package import CacheModel
import CacheClientCore
import CacheWire
import Threading

/// Loading in two steps, for callers that cannot pass a closure. The caller looks a key up, gets
/// the right to fill it, and stores by that right later, from another process if need be.
///
///     find ─▶ found
///        └──▶ missing, right ─▶ (the caller reads its origin) ─▶ fill ─▶ stored, or refused
///        └──▶ missing, another caller loads ─▶ retry
extension CacheClient {
    /// The right to fill a key, and the node that gave it. It is valid as long as its token.
    package struct FillRight: Hashable, Sendable {
        package let token: FillToken
        package let node: NodeID

        package init(_ token: FillToken, of node: NodeID) {
            self.token = token
            self.node = node
        }
    }

    package enum Finding: Sendable {
        case found(CachedValue)
        case right(FillRight)
        /// Another caller loads it. No other right is given until that load or this time ends.
        case wait(Duration)
        /// The key is missing, and the node gives no right.
        case nothing(StoreRefusal?)
    }

    /// Looks keys up, and takes the right to fill those that are missing.
    ///
    /// - Returns: for each key, in their order, what was found.
    package func find(
        _ keys: [CacheKey], in namespace: Namespace, options: ReadOptions
    ) async -> [Result<Finding, CacheError>] {
        let deadline: Instant
        do throws(CacheError) {
            deadline = try self.deadline(options.timeout)
            try Self.checkCount(keys.count)
        } catch {
            return keys.map { _ in .failure(error) }
        }
        let reading = Reading(
            namespace: namespace, options: options, deadline: deadline, wantsToken: true)
        return await lookUp(keys, reading).map { lookup in lookup.map { finding($0) } }
    }

    private func finding(_ lookup: Lookup) -> Finding {
        switch lookup {
        case .found(let value, _): return .found(value)
        case .missing(let missing):
            if let token = missing.token, let node = missing.node {
                // After a retry, another load of this client may hold the same lease.
                return takesUp(token) ? .right(FillRight(token, of: node)) : .wait(Self.sharedWait)
            }
            return missing.retryAfter.map { .wait($0) } ?? .nothing(missing.refusal)
        }
    }

    private static let sharedWait = ClientLimits.loadPauseMax

    /// Stores a value by the right to fill its key.
    ///
    /// - Throws: ``CacheError/Code/refused`` with the reason:
    ///   ``CacheModel/StoreRefusal/invalidatedMeanwhile`` if the value may be older than an
    ///   invalidation, ``CacheModel/StoreRefusal/leaseVoid`` or
    ///   ``CacheModel/StoreRefusal/tokenTooOld`` if the right is no longer valid.
    package func fill(
        _ key: CacheKey, with value: [UInt8], in namespace: Namespace, by right: FillRight,
        options: StoreOptions
    ) async throws(CacheError) -> StoreResult {
        let deadline = try self.deadline(options.timeout)
        let topology = try await loop.topology(deadline: deadline)
        guard topology.index(of: right.node) != nil else {
            throw CacheError(
                .refused, "the node that gave the right is not in the cluster any more",
                refusal: .tokenTooOld)
        }
        let store = try Store(StoreItem(key, value, options: options)).with(right.token)
        let target = Target(
            namespace: namespace, deadline: deadline, placement: .node(right.node),
            trace: options.trace)
        return result(try await send([.success(store)], target)[0].get())
    }
}
