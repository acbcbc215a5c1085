package import CacheModel
import CacheClientCore
import CacheWire
import Threading

/// Loading in two steps, for callers that cannot hand a closure over: look a key up, be given the
/// right to fill it, and store by it later, from another process if need be.
///
///     find ─▶ found
///        └──▶ missing, right ─▶ (the caller reads its origin) ─▶ fill ─▶ stored, or refused
///        └──▶ missing, another loads ─▶ ask again
extension CacheClient {
    /// The right to fill a key, and the node that gave it. It is worth as much as its token.
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
        /// Another loads it; nobody is given a right until then, or until that time is over.
        case wait(Duration)
        /// Nothing is there, and no right is given.
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
                // Where a question was repeated, another of this client's may have been given it.
                return takesUp(token) ? .right(FillRight(token, of: node)) : .wait(Self.sharedWait)
            }
            return missing.retryAfter.map { .wait($0) } ?? .nothing(missing.refusal)
        }
    }

    private static let sharedWait = ClientLimits.loadPauseMax

    /// Stores a value by the right to fill its key.
    ///
    /// - Throws: ``CacheError/Code/refused`` with why it was not admitted:
    ///   ``CacheModel/StoreRefusal/invalidatedMeanwhile`` if what was loaded may be older than an
    ///   invalidation, ``CacheModel/StoreRefusal/leaseVoid`` or
    ///   ``CacheModel/StoreRefusal/tokenTooOld`` if the right is not worth anything any more.
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
