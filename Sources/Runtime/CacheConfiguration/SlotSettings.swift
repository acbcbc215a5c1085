import CacheModel

/// Settings that matter where the log assigns keys to nodes, or only work there.
enum SlotSettings {
    static func membership(_ root: MappingReader, _ topology: TopologyKind) -> MembershipKind {
        let membership: MembershipKind = root.choice("membership", default: .listed)
        if membership == .open, topology != .slots {
            root.add(
                "membership",
                "nodes can join only where the log assigns the keys to them: give "
                    + "\"topology: slots\" too, or list the nodes")
        }
        return membership
    }

    /// Refuses what does not go together with keys that get other owners while the cluster runs.
    static func check(_ configuration: ClusterConfiguration, _ root: MappingReader) {
        if let sentence = configuration.slotsRefusal { root.add("nodes", sentence) }
    }
}
