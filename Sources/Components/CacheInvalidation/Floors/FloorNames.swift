package import CacheModel

/// The namespaces and prefixes that a log touched, each with the newest record that did.
///
/// Both are bounded. Where there are too many prefixes the longest become shorter ones and at last
/// namespaces, and where there are too many namespaces they become everything: more counts as
/// touched, never less.
package struct FloorNames: Hashable, Sendable {
    package struct Prefix: Hashable, Sendable {
        package let namespace: Namespace
        package let bytes: [UInt8]

        package init(namespace: Namespace, bytes: [UInt8]) {
            self.namespace = namespace
            self.bytes = bytes
        }
    }

    package private(set) var everything = SequenceNumber.none
    package private(set) var namespaces: [Namespace: SequenceNumber] = [:]
    package private(set) var prefixes: [Prefix: SequenceNumber] = [:]

    package init() {}

    /// The newest record that touched a key by one of them.
    ///
    /// - Complexity: O(prefixes).
    package func floor(ofKey key: [UInt8], in namespace: Namespace) -> SequenceNumber {
        var floor = max(everything, namespaces[namespace] ?? .none)
        for (prefix, sequence) in prefixes
        where sequence > floor && prefix.namespace == namespace && key.starts(with: prefix.bytes) {
            floor = sequence
        }
        return floor
    }

    package mutating func raiseEverything(to sequence: SequenceNumber) {
        everything = max(everything, sequence)
    }

    package mutating func raise(_ namespace: Namespace, to sequence: SequenceNumber) {
        namespaces[namespace] = max(namespaces[namespace] ?? .none, sequence)
        guard namespaces.count > InvalidationLimits.floorNamespacesMax else { return }
        for sequence in namespaces.values { raiseEverything(to: sequence) }
        namespaces = [:]
    }

    /// - Parameter prefix: one that is longer than a snapshot tells counts as its beginning.
    package mutating func raise(_ prefix: Prefix, to sequence: SequenceNumber) {
        raise(prefix, cutTo: InvalidationLimits.floorPrefixBytesMax, to: sequence)
        if prefixes.count > InvalidationLimits.floorPrefixesMax { shorten() }
    }

    private mutating func raise(
        _ prefix: Prefix, cutTo bytesMax: Int, to sequence: SequenceNumber
    ) {
        let kept =
            prefix.bytes.count <= bytesMax
            ? prefix
            : Prefix(namespace: prefix.namespace, bytes: Array(prefix.bytes[..<bytesMax]))
        guard !kept.bytes.isEmpty else { return raise(kept.namespace, to: sequence) }
        prefixes[kept] = max(prefixes[kept] ?? .none, sequence)
    }

    /// Makes the longest half as long until half of the room is free again, so that this is rare.
    private mutating func shorten() {
        while prefixes.count > InvalidationLimits.floorPrefixesMax / 2 {
            let longest = prefixes.keys.reduce(0) { max($0, $1.bytes.count) }
            let all = prefixes
            prefixes = [:]
            for (prefix, sequence) in all { raise(prefix, cutTo: longest / 2, to: sequence) }
        }
    }

    /// Raises each to what it is in another.
    mutating func raise(to other: FloorNames) {
        raiseEverything(to: other.everything)
        for (namespace, sequence) in other.namespaces { raise(namespace, to: sequence) }
        for (prefix, sequence) in other.prefixes { raise(prefix, to: sequence) }
    }

    /// Only what lies above a floor.
    func above(_ floor: SequenceNumber) -> FloorNames {
        var names = self
        if everything <= floor { names.everything = .none }
        names.namespaces = namespaces.filter { $0.value > floor }
        names.prefixes = prefixes.filter { $0.value > floor }
        return names
    }
}
