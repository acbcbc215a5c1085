import CacheLoading
import CacheMemory
import CacheModel
import CacheWire

/// What a message has learned by waiting: of each kind of wait, its result.
indirect enum RequestEvidence {
    case none
    /// Its deadline passed before all its records were read from disk.
    case lateForDisk
    case loads(RequestLoads)
    /// Results by operation; a missing one has not ended in time.
    case writes([Int: WriteResult])
    case queue(QueueReport)
    case comparison(OriginComparison)

    var isLateForDisk: Bool { if case .lateForDisk = self { true } else { false } }

    var writes: [Int: WriteResult]? { if case .writes(let results) = self { results } else { nil } }
}

/// A GET while it is answered: what its operations have in common, and what follows from them. It
/// is handed down, and never copied.
///
///     RequestContext(plan, evidence) ─▶ each operation: reads it, counts, asks for loads
///                                            │
///          no load is needed: the reply is sent, and its counters are added ◀─┤
///          else the message waits, and the reply and its counters are dropped ◀┘
struct RequestContext: ~Copyable {
    let now: Instant
    let namespace: NamespaceNumber
    /// Where its reply begins.
    let start: Int
    let asker: LoadLeases.Holder
    /// Whether it asked before and was not answered.
    let isAgain: Bool
    let holdsLease: Bool
    /// Only a fresh entry is accepted.
    let isFreshDemanded: Bool
    /// Its state of the loads that it has waited for.
    var loads: RequestLoads?
    /// How entries that are no plain hits are answered; `nil` in a namespace that applications
    /// fill.
    var through: ReadThrough?
    /// What its reply counts.
    var counters = ReadStatistics()

    @inline(__always)
    init(
        _ plan: ShardCore.Plan, _ evidence: RequestEvidence, from start: Int, holdsLease: Bool,
        now: Instant
    ) {
        self.now = now
        namespace = plan.namespace
        self.start = start
        asker = LoadLeases.Holder(plan.frame.peer.rawValue)
        isAgain = plan.message.fields.marks.contains(.again)
        self.holdsLease = holdsLease
        isFreshDemanded = plan.message.fields.isFresh
        counters.gets = UInt64(plan.message.count)
        if case .loads(let loads) = evidence { self.loads = loads }
    }

    /// Whether another node asks.
    var isForPeer: Bool { through?.demand.peerUrgency != nil }

    /// The number of loads that an operation has waited for.
    func loadCount(of operation: Int) -> Int { loads?.counts[operation, default: 0] ?? 0 }
}

/// How a GET is answered in a namespace with an origin, and what it asks of that.
struct ReadThrough {
    /// The part of its demand that is the same for every key.
    var demand: ReadDemand
    /// `nil` in a namespace that has lost its origin.
    var earlyRefresh: EarlyRefresh?
    /// Loads required for its answer, and loads in the background.
    var wishes: [LoadWish] = []
    var refreshes: [LoadWish] = []
    /// Load leases granted by its reply, in case that is dropped.
    var grants: [(hash: KeyHash, nonce: UInt64)] = []

    init(_ demand: ReadDemand) {
        self.demand = demand
    }
}

/// One operation of a GET that cannot be answered before the origin was asked.
struct LoadWish {
    var operation: Int
    var hash: KeyHash
    var key: UnsafeRawBufferPointer
    /// The held entry may be served if the origin does not answer, or not soon.
    var fallsBack: Bool
    /// The required freshness; `.new`: only a load that begins now or later suffices.
    var freshness = LoadFreshness.any
    /// Its urgency for the asker.
    var urgency = LoadUrgency.awaited
    /// The held entry would be fresh with a lease: the load begins at most once a second.
    var isRevalidation = false
    /// Another node waits for it.
    var isForPeer = false
}
