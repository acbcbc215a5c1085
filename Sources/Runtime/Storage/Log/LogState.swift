/// What a publisher stores beside its log, each in a file of this name.
package enum LogState: String, CaseIterable, Sendable {
    /// The pacings that run, or ended lately.
    case pacings = "pacing"
    /// The last runs of each node.
    case nodes
    /// The identity of the cluster.
    case cluster
    /// The owners of slots.
    case slots
}
