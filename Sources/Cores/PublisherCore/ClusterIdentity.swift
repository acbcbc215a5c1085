import CacheInvalidation
import CacheModel

/// The identity of the publisher's cluster, and how the publisher finds it. docs/decisions/0089.
///
///     unknown ──from the file─────────────────▶ known
///        │                                        ▲  ▲
///        ├──from nodes─────▶ decide() ────────────┘  │ a more advanced node returns
///        └──nodes have none▶ decide() ──▶ drawn ─────┘
///
/// Until the identity is decided, this also tracks the furthest mark of a lost log that the nodes
/// of each cluster report. Only marks of the decided cluster, or of nodes without one, count.
struct ClusterIdentity: Sendable {
    /// The furthest mark that the nodes of one cluster reported, and its log.
    struct Place: Hashable, Sendable {
        let log: LogID
        let mark: LogMark

        /// Of equal positions the greater log id wins, so the result does not depend on the order.
        func isBefore(_ other: Place) -> Bool {
            (mark.position, log.rawValue) < (other.mark.position, other.log.rawValue)
        }
    }

    /// None until it is known.
    private(set) var id: ClusterID
    /// Whether this publisher drew the identity itself, because no node reported one.
    private(set) var isDrawn = false
    /// The identity to use if no node knows one; none: the cluster stays without an identity.
    private let fresh: ClusterID
    /// The identity stored beside the log; `nil` if there is none.
    private(set) var kept: KeptCluster?
    /// The identity that is being stored.
    private(set) var keeping: KeptCluster?
    /// After a failure: the earliest moment of the next attempt.
    private(set) var keepsNotBefore: Instant?
    /// The cluster that each node last reported; a node that never reported one is absent.
    private var told: [NodeID: ClusterID] = [:]
    /// By cluster, none included. The node may have left by the time this is read.
    private(set) var furthest: [ClusterID: Place] = [:]

    /// - Parameter kept: the identity stored by an earlier publisher; `nil` if there is none.
    init(kept: KeptCluster? = nil, fresh: ClusterID = .none) {
        id = kept?.id ?? .none
        self.kept = kept
        self.fresh = fresh
    }

    /// Whether the identity is unknown and can be determined.
    var isOpen: Bool { id == .none && fresh != .none }

    /// Whether the cluster has no identity, and will never have one.
    var isNameless: Bool { id == .none && fresh == .none }

    // MARK: Reports

    /// A registered node reports its cluster. A node that reports none may have been restarted: its
    /// earlier report stays valid.
    mutating func heard(_ cluster: ClusterID, from node: NodeID) {
        guard cluster != .none else { return }
        let before = told.updateValue(cluster, forKey: node)
        // This limits the table to the number of nodes.
        if let before, !told.values.contains(before) { furthest[before] = nil }
    }

    /// A registered node reports its mark in a log.
    mutating func heard(_ mark: LogMark, of log: LogID, from node: NodeID) {
        let place = Place(log: log, mark: mark)
        let cluster = told[node] ?? .none
        if let known = furthest[cluster], !known.isBefore(place) { return }
        furthest[cluster] = place
    }

    // MARK: Decision

    /// Every node has reported, or has had its time: takes the cluster that most nodes report, in a
    /// tie the greater number; if no node reports any, the drawn one. No effect if it is known.
    ///
    /// - Parameter isRegistered: whether a node still counts; one that a reload has removed has no
    ///   vote.
    /// - Returns: whether it is known now, and was not before.
    mutating func decide(among isRegistered: (NodeID) -> Bool = { _ in true }) -> Bool {
        guard isOpen else { return false }
        let votes = told.filter { isRegistered($0.key) }.values
        let counts = Dictionary(votes.map { ($0, 1) }, uniquingKeysWith: +)
        let most = counts.max {
            ($0.value, $0.key.rawValue) < ($1.value, $1.key.rawValue)
        }
        id = most?.key ?? fresh
        isDrawn = most == nil
        return true
    }

    /// The furthest mark that a node of this cluster, or one without a cluster, has reported.
    var furthestPlace: Place? {
        let own = furthest.filter { !$0.key.contradicts(id) }.values
        return own.max { $0.isBefore($1) }
    }

    /// The log has its position: the reported marks are no longer needed.
    mutating func forgetPlaces() { furthest = [:] }

    // MARK: Storing

    /// The identity to store while the log is in that epoch; `nil` if it is stored.
    func unkept(in epoch: Epoch) -> KeptCluster? {
        guard id != .none, kept?.id != id || kept.map({ $0.epoch < epoch }) ?? true else {
            return nil
        }
        return KeptCluster(id, in: epoch)
    }

    /// The identity is being stored.
    mutating func keep(_ cluster: KeptCluster) { keeping = cluster }

    /// It is stored, or could not be.
    ///
    /// - Parameter next: when it may be tried again; `nil`: it is stored.
    mutating func keepingEnded(retryAt next: Instant?) {
        if next == nil { kept = keeping ?? kept }
        (keeping, keepsNotBefore) = (nil, next)
    }

    // MARK: A more advanced node

    /// Whether this publisher may continue the log of a node. Asked only while its own log is in
    /// memory and has no appended record.
    func mayFollow(_ node: NodeID) -> Bool {
        guard let told = told[node] else { return true }
        return isDrawn || !told.contradicts(id)
    }

    /// Continues the log of a node: its cluster becomes the cluster.
    ///
    /// - Returns: whether the cluster has changed.
    mutating func follow(_ node: NodeID) -> Bool {
        guard let told = told[node] else { return false }
        defer { (id, isDrawn) = (told, false) }
        return id != told
    }
}
