import ByteCoding
package import CacheModel

/// Who may load a key: at most one holder at a time, so that a miss storm becomes one load.
///
/// A lease is void when the key is stored or removed, when its holder's store was refused, when
/// another is given after it ran out, or when `loadLeasesMax` later ones have been granted. Nothing
/// here depends on it for correctness: a void lease costs a load, floors keep stale values out.
package struct LoadLeases {
    /// What a reader that missed is told.
    package enum Answer: Equatable, Sendable {
        /// Load it, and name this when storing.
        case granted(nonce: UInt64)
        /// Somebody else loads it; ask again after this time.
        case wait(Duration)
    }

    /// Who asks for leases: one connection.
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
    /// The grants in their order, void ones included: a ring once it is full.
    private var order: [(hash: KeyHash, nonce: UInt64)] = []
    private var oldest = 0

    /// - Parameter seed: Makes nonces of two runs differ.
    package init(limits: MemoryTierLimits, seed: UInt64) {
        leasesMax = limits.loadLeasesMax
        self.seed = seed
    }

    /// Leases that are not void; some may have expired.
    package var count: Int { leases.count }

    /// Gives the key's lease to the caller for `duration`, unless another one holds it.
    ///
    /// - Parameters:
    ///   - holder: who asks; `nil`: nobody who could ask again.
    ///   - isAgain: whether it has asked before and was not answered. What it holds is then given
    ///     to it once more, from now on: the same lease, so that only one value comes of it. Its
    ///     age goes on.
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

    /// Gives the key's lease to the caller, whoever holds it.
    ///
    /// - Returns: its nonce; the one before it is void.
    package mutating func take(_ hash: KeyHash, now: Instant, duration: Duration) -> UInt64 {
        leases[hash] = nil
        guard case .granted(let nonce) = grant(hash, now: now, duration: duration) else {
            preconditionFailure("a lease that nobody holds is granted")
        }
        return nonce
    }

    /// How long the key's lease still keeps others from loading; zero if there is none.
    package func timeLeft(of hash: KeyHash, now: Instant) -> Duration {
        leases[hash].map { $0.expiresAt.elapsed(since: now) } ?? .zero
    }

    /// The key was stored or removed: what is being loaded is no longer wanted.
    package mutating func void(_ hash: KeyHash) {
        if !leases.isEmpty { leases[hash] = nil }
    }

    /// The holder of that nonce came back, with or without success: the lease is over, if it is
    /// still the key's.
    package mutating func end(_ hash: KeyHash, nonce: UInt64) {
        if holds(hash, nonce: nonce) { leases[hash] = nil }
    }

    /// Whether `nonce` names the key's lease.
    ///
    /// One that has run out is still good until somebody else is given the lease: a slow load is
    /// worth storing if nobody has begun another. Floors judge the value, not the clock.
    package func holds(_ hash: KeyHash, nonce: UInt64) -> Bool {
        leases[hash]?.nonce == nonce
    }

    /// For how long the key's lease has been held; zero if `nonce` does not name it.
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

    /// Enters a grant; past the bound it takes the place of the oldest, which becomes void.
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
