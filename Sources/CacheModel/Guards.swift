/// Which of the protocol's guards are on: all of them, in every program that is shipped.
///
/// Test builds define `MARTLET_MUTANTS` and may switch guards off, so that the simulation can show
/// that it misses each. Elsewhere this has no storage, and asking it is the constant `true`.
///
/// It is handed in with the options of a mind and belongs to that mind alone.
public struct Guards: Hashable, Sendable {
    #if MARTLET_MUTANTS
        /// A bit for each guard that is off, in the order of their declaration.
        private var off: UInt64 = 0
    #endif

    /// Every guard is on.
    public static let all = Guards()

    private init() {}

    /// Every guard but these is on; `nil` in a build that cannot switch any off.
    package init?(without guards: [ProtocolGuard]) {
        #if MARTLET_MUTANTS
            for one in guards { off |= Self.bit(of: one) }
        #else
            guard guards.isEmpty else { return nil }
        #endif
    }

    #if MARTLET_MUTANTS
        package func isOn(_ one: ProtocolGuard) -> Bool {
            off == 0 || off & Self.bit(of: one) == 0
        }

        private static func bit(of one: ProtocolGuard) -> UInt64 {
            guard let place = ProtocolGuard.allCases.firstIndex(of: one) else { return 0 }
            return 1 << UInt64(place)
        }
    #else
        @inlinable
        package func isOn(_ one: ProtocolGuard) -> Bool { true }
    #endif
}
