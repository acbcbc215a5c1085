import CacheModel
import CacheNodeCore
import CacheWire
import Threading

/// When a warm-up begins: the node is LIVE, the cluster is replicated, and the endpoints of a
/// replica are known. Once. In another cluster it is told the other nodes, whenever they change.
struct WarmUpSummons {
    private let node: NodeID
    /// `nil`: it is not to be warmed up, or leaves.
    private var mailbox: Mailbox<WarmUpLetter>?
    private var isLive = false
    private var isReplicated = false
    private var isLiveSaid = false
    private var hasBegun = false
    private var peers: [WarmUpPeer] = []

    init(node: NodeID, mailbox: Mailbox<WarmUpLetter>?) {
        self.node = node
        self.mailbox = mailbox
    }

    mutating func standing(_ standing: NodeStanding) {
        isLive = standing.state == .live
        begin()
    }

    mutating func topology(frame: [UInt8]) {
        guard let mailbox, !hasBegun, let report = Self.report(frame) else { return }
        isReplicated = report.kind == .replicated
        guard isReplicated, report.nodes.contains(where: { $0.id != node }) else {
            // This one, too: slots move between its own shards.
            mailbox.post(
                .sharing(report.nodes.map { WarmUpPeer(node: $0.id, endpoints: $0.endpoints) }))
            return
        }
        // The next one in the list first, so that nodes which start together ask different ones.
        // Which of them are LIVE a topology tells only as of when it was asked for.
        let own = report.nodes.firstIndex { $0.id == node } ?? 0
        let others = report.nodes[own...].dropFirst() + report.nodes[..<own]
        peers = others.filter { !$0.endpoints.isEmpty && !$0.endpoints.contains("") }
            .map { WarmUpPeer(node: $0.id, endpoints: $0.endpoints) }
        begin()
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

    /// The node leaves. Readers of slots that arrived before still wait for the owners before.
    mutating func leave() {
        if isReplicated { mailbox?.post(.stop) }
        mailbox = nil
    }

    private mutating func begin() {
        guard let mailbox, !hasBegun, isLive, isReplicated else { return }
        if !isLiveSaid {
            isLiveSaid = true
            mailbox.post(.live)
        }
        guard !peers.isEmpty else { return }
        hasBegun = true
        mailbox.post(.begin(peers))
    }
}
