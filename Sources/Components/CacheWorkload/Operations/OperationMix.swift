/// The kinds of operations of a load, with their weights.
package struct OperationMix: Hashable, Sendable {
    package struct Part: Hashable, Sendable {
        package var kind: OperationKind
        /// In proportion to the sum of all weights; above 0.
        package var weight: Double

        package init(_ kind: OperationKind, weight: Double = 1) {
            self.kind = kind
            self.weight = weight
        }
    }

    /// At least one part; each kind at most once.
    package let parts: [Part]

    package init(_ parts: [Part]) {
        precondition(!parts.isEmpty, "something is asked for")
        precondition(Set(parts.map(\.kind)).count == parts.count, "each kind is named once")
        self.parts = parts
    }

    /// Only operations of one kind.
    package static func only(_ kind: OperationKind) -> OperationMix { OperationMix([Part(kind)]) }

    /// Gets, the rest sets.
    ///
    /// - Parameter readShare: 0 to 1.
    package static func reads(_ readShare: Double) -> OperationMix {
        precondition((0...1).contains(readShare), "a share is between nothing and all")
        return switch readShare {
        case 0: .only(.set)
        case 1: .only(.get)
        default:
            OperationMix([Part(.get, weight: readShare), Part(.set, weight: 1 - readShare)])
        }
    }

    /// The share of a kind in all operations, 0 to 1.
    package func share(of kind: OperationKind) -> Double {
        let sum = parts.reduce(0) { $0 + $1.weight }
        return parts.reduce(0) { $0 + ($1.kind == kind ? $1.weight / sum : 0) }
    }

    package func contains(_ kind: OperationKind) -> Bool { parts.contains { $0.kind == kind } }
}
