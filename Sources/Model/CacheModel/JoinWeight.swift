/// The weight by which a node joins that no configuration lists, as HELLO carries it.
///
///     0                     it does not join
///     1 ..< 2^31            its weight in thousandths
///     2^31 + thousandths    it states none: that of its memory
package struct JoinWeight: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt32

    package static let none = JoinWeight(rawValue: 0)
    private static let byMemory: UInt32 = 1 << 31

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// - Parameter thousandths: above 0, below 2^31.
    package init(thousandths: UInt32) {
        precondition((1..<Self.byMemory).contains(thousandths), "a node that joins has a weight")
        rawValue = thousandths
    }

    /// - Parameter memory: in bytes.
    package init(memory: Int) {
        rawValue = Self.byMemory | Self.thousandths(ofMemory: memory)
    }

    /// Whether the node is to join.
    package var isJoining: Bool { rawValue != 0 }

    /// The weight in thousandths.
    ///
    /// - Parameter areWeightsStated: whether the configuration states the weight of a node. Then
    ///   those without one have weight 1, listed or not.
    package func thousandths(areWeightsStated: Bool) -> UInt32 {
        guard rawValue & Self.byMemory != 0 else { return rawValue }
        return areWeightsStated ? 1_000 : rawValue & ~Self.byMemory
    }

    /// The weight of a node by its memory: 1 for each GiB.
    ///
    /// - Parameter memory: in bytes.
    /// - Returns: thousandths, at least 1, below 2^31.
    package static func thousandths(ofMemory memory: Int) -> UInt32 {
        let rounded = (Double(max(0, memory)) / Double(1 << 30) * 1_000).rounded()
        return UInt32(min(max(1, rounded), Double(byMemory - 1)))
    }
}
