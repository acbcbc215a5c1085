import Foundation
import TestSupport

/// What cluster a story needs.
struct ClusterPlan: Sendable {
    enum Topology: String, Sendable {
        case sharded, slots, replicated

        /// For stories to which it makes no difference how owners are found.
        static let shardedAndReplicated: [Topology] = [.sharded, .replicated]
        static let all: [Topology] = [.sharded, .slots, .replicated]
    }

    var topology = Topology.sharded
    var nodeCount = 3
    /// With more than one the log is on members of etcd that `up` starts. Not for a cluster that
    /// needs a file.
    var publisherCount = 1
    /// Of each node's disk tier; `nil`: none.
    var disk: String?
    /// How long after its end `up` starts a child again; `nil`: not at all.
    var respawn: String?
    /// How long a node that hears nothing calls its entries fresh.
    var lease: String?
    var heartbeat: String?
    /// How long a node has no lease before its keys go to others.
    var failoverAfter: String?
    var retentionRecords: Int?
    /// Whether the log is on disk, in `log` beside the configuration, though there is a file.
    /// Without a file it always is, because `up` has a directory.
    var isLogKept = false
    /// Makes the log that the publisher finds there, in the directory that it is told.
    var makeLog: (@Sendable (String) throws -> Void)?
    /// Settings of every node, each a line of YAML.
    var nodeSettings: [String] = []
    /// Whether nodes have a place where writes wait.
    var hasQueues = false
    /// Whether it asks who connects. Not for a cluster that needs a file.
    var isSecure = false
    /// Whether nodes may join that are not listed. Only of a cluster that needs a file.
    var isOpen = false
    /// Whether there is a gateway.
    var hasGateway = false
    /// More flags of `up`.
    var flags: [String] = []
    /// Variables of `up`, which its children inherit.
    var environment: [String: String] = [:]
    /// Lines of YAML under `namespaces:`.
    var namespaces: [String] = []

    init(_ topology: Topology = .sharded) { self.topology = topology }

    /// Whether the flags of `up` can say it.
    var needsFile: Bool {
        isLogKept || lease != nil || heartbeat != nil || retentionRecords != nil
            || failoverAfter != nil || !namespaces.isEmpty || !nodeSettings.isEmpty
            || hasQueues
    }

    /// The configuration file of it, with its publisher on `port`.
    ///
    /// - Parameters:
    ///   - directory: where it will lie.
    ///   - areNodesPlaced: whether the nodes are told where to listen, too.
    func yaml(
        port: UInt16, in directory: TemporaryDirectory? = nil, areNodesPlaced: Bool = true
    ) -> String {
        var lines = ["topology: \(topology.rawValue)"]
        if isOpen { lines.append("membership: open") }
        lines.append("publisher:")
        lines.append("  endpoint: tcp://127.0.0.1:\(port)")
        if let lease { lines.append("  lease: \(lease)") }
        if let heartbeat { lines.append("  heartbeat: \(heartbeat)") }
        if let failoverAfter { lines.append("  failover-after: \(failoverAfter)") }
        if isLogKept || topology == .slots, let directory {
            lines.append("  log: \"\(directory.file("log").path)\"")
        }
        if let retentionRecords {
            lines.append("  retention: {records: \(retentionRecords)}")
        }
        lines.append("nodes:")
        for number in 1...nodeCount {
            let place = areNodesPlaced ? ", port: \(Int(port) + 1 + number)" : ""
            let queue = hasQueues ? directory?.file("queue-n\(number)").path : nil
            let keeping = queue.map { ["queue-directory: \"\($0)\""] } ?? []
            let tier = directory?.file("disk-n\(number)").path
            let disks =
                if let disk, let tier { ["disk: \(disk)", "disk-directory: \"\(tier)\""] } else {
                    [String]()
                }
            let settings = (nodeSettings + keeping + disks).map { ", \($0)" }.joined()
            lines.append("  - {id: n\(number)\(place)\(settings)}")
        }
        if !namespaces.isEmpty { lines += ["namespaces:"] + namespaces }
        return lines.joined(separator: "\n") + "\n"
    }
}
