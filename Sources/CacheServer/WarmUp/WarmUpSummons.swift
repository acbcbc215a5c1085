import CacheConfiguration
import CacheModel
import CacheNodeCore
import CacheWire
import Threading

/// When a warm-up begins: the node is LIVE, its configuration names an origin, and there is a
/// replica that is LIVE, too. Once, and only soon after the start: a peer that joins later is
/// colder than this node.
struct WarmUpSummons {
    private let node: NodeID
    /// `nil`: it is not to be warmed up, or leaves.
    private var mailbox: Mailbox<WarmUpLetter>?
    private var hasBegun = false
    private var liveSince: Instant?
    private var isLive = false
    private var peers: [WarmUpPeer] = []
    private var namespaces: [Namespace] = []

    init(node: NodeID, mailbox: Mailbox<WarmUpLetter>?) {
        self.node = node
        self.mailbox = mailbox
    }

    mutating func standing(_ standing: NodeStanding, now: Instant) {
        isLive = standing.state == .live
        if isLive, liveSince == nil { liveSince = now }
        begin(now: now)
    }

    mutating func configured(_ configuration: ClusterConfiguration, now: Instant) {
        let origins = configuration.namespaces.filter { $0.value.origin != nil }
        namespaces = origins.keys.sorted { $0.name < $1.name }
        begin(now: now)
    }

    mutating func topology(frame: [UInt8], now: Instant) {
        guard mailbox != nil, let report = Self.report(frame), report.kind == .replicated else {
            return
        }
        // The next one in the list first, so that nodes which start together ask different ones.
        let own = report.nodes.firstIndex { $0.id == node } ?? 0
        let others = report.nodes[own...].dropFirst() + report.nodes[..<own]
        peers = others.filter { $0.state == .live && !$0.endpoints.contains("") }
            .map { WarmUpPeer(node: $0.id, endpoints: $0.endpoints) }
        begin(now: now)
    }

    private static func report(_ frame: [UInt8]) -> TopologyReport? {
        frame.withUnsafeBytes { bytes in
            do throws(WireRefusal) {
                return try TopologyReport(decoding: MessageView(decoding: bytes))
            } catch {
                return nil
            }
        }
    }

    /// The node leaves.
    mutating func leave() {
        mailbox?.post(.stop)
        mailbox = nil
    }

    private mutating func begin(now: Instant) {
        guard !hasBegun, let mailbox, let liveSince, isLive, !peers.isEmpty, !namespaces.isEmpty,
            now.elapsed(since: liveSince) < ServerLimits.warmUpBeginMax
        else { return }
        hasBegun = true
        mailbox.post(.begin(peers, namespaces))
    }
}
