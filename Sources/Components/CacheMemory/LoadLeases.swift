import ByteCoding
package import CacheModel

/// Leases to load a key: at most one holder at a time, so that a miss storm becomes one load.
///
/// A lease is void when the key is stored or removed, when its holder's store was refused, when
/// another is given after it ran out, or when `loadLeasesMax` later ones have been granted.
/// Correctness does not depend on it: a void lease costs a load, floors reject stale values.
package struct LoadLeases {
    /// The answer to a reader that missed.
    package enum Answer: Equatable, Sendable {
        /// Load it, and pass this nonce with the store.
        case granted(nonce: UInt64)
        /// Another reader loads it; retry after this time.
        case wait(Duration)
    }

    /// The requester of a lease: one connection.
    package struct Holder: Hashable, Sendable {
        private let rawValue: UInt64

        package init(_ rawValue: UInt64) {
            self.rawValue = rawValue
        }
    }

    private struct Lease {
        var holder: Holder?
        var nonce: UInt64
        var grantedAt: Instant
        var expiresAt: Instant
    }

    private let leasesMax: Int
    private let seed: UInt64
    private var counter: UInt64 = 0
    private var leases: [KeyHash: Lease] = [:]
    /// The grants in order, including void ones: a ring once it is full.
    private var order: [(hash: KeyHash, nonce: UInt64)] = []
    private var oldest = 0

    /// - Parameter seed: makes nonces of two runs differ.
    package init(limits: MemoryTierLimits, seed: UInt64) {
        leasesMax = limits.loadLeasesMax
        self.seed = seed
    }

    /// Leases that are not void; some may have expired.
    package var count: Int { leases.count }

    /// Grants the key's lease to the caller for `duration`, unless another holder has it.
    ///
    /// - Parameters:
    ///   - holder: the requester; `nil`: one that cannot ask again.
    ///   - isAgain: whether it repeats a request that was not answered. Its own lease is then
    ///     granted again, from now on: the same lease, so that only one value comes of it. Its age
    ///     continues.
    package mutating func grant(
        _ hash: KeyHash, to holder: Holder? = nil, isAgain: Bool = false, now: Instant,
        duration: Duration
    ) -> Answer {
        if let lease = leases[hash], now < lease.expiresAt {
            guard isAgain, holder != nil, lease.holder == holder else {
                return .wait(lease.expiresAt.elapsed(since: now))
            }
            leases[hash]?.expiresAt = now.advanced(by: duration)
            return .granted(nonce: lease.nonce)
        }
        let nonce = nextNonce()
        leases[hash] = Lease(
            holder: holder, nonce: nonce, grantedAt: now,
            expiresAt: now.advanced(by: duration))
        note(hash, nonce)
        return .granted(nonce: nonce)
    }

    /// Grants the key's lease to the caller, even if another holder has it.
    ///
    /// - Returns: its nonce; the previous one is void.
    package mutating func take(_ hash: KeyHash, now: Instant, duration: Duration) -> UInt64 {
        leases[hash] = nil
        guard case .granted(let nonce) = grant(hash, now: now, duration: duration) else {
            preconditionFailure("a lease without a holder is granted")
        }
        return nonce
    }

    /// How long the key's lease still keeps other readers from loading; zero if there is none.
    package func timeLeft(of hash: KeyHash, now: Instant) -> Duration {
        leases[hash].map { $0.expiresAt.elapsed(since: now) } ?? .zero
    }

    /// Voids the lease of a key that was stored or removed: the load is no longer wanted.
    package mutating func void(_ hash: KeyHash) {
        if !leases.isEmpty { leases[hash] = nil }
    }

    /// Ends the lease of that nonce after its load, successful or not, if it is still the key's.
    package mutating func end(_ hash: KeyHash, nonce: UInt64) {
        if holds(hash, nonce: nonce) { leases[hash] = nil }
    }

    /// Whether `nonce` names the key's lease.
    ///
    /// An expired lease is valid until another is granted: a slow load is worth storing if no other
    /// has begun. Floors judge the value, not the clock.
    package func holds(_ hash: KeyHash, nonce: UInt64) -> Bool {
        leases[hash]?.nonce == nonce
    }

    /// How long the key's lease has been held; zero if `nonce` does not name it.
    package func age(_ hash: KeyHash, nonce: UInt64, now: Instant) -> Duration {
        guard let lease = leases[hash], lease.nonce == nonce else { return .zero }
        return now.elapsed(since: lease.grantedAt)
    }

    private mutating func nextNonce() -> UInt64 {
        while true {
            counter &+= 1
            let nonce = StableHash.mix(seed &+ counter)
            if nonce != 0 { return nonce }
        }
    }

    /// Records a grant; above the limit it replaces the oldest, which becomes void.
    private mutating func note(_ hash: KeyHash, _ nonce: UInt64) {
        guard order.count == leasesMax else {
            order.append((hash, nonce))
            return
        }
        let leaving = order[oldest]
        if leases[leaving.hash]?.nonce == leaving.nonce { leases[leaving.hash] = nil }
        order[oldest] = (hash, nonce)
        oldest = (oldest + 1) % leasesMax
    }
}
