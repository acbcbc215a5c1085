/// The protocol guards that are on: all of them, in every shipped program.
///
/// Test builds define `MARTLET_MUTANTS` and may switch guards off, so that the simulation can show
/// that it detects each missing guard. In other builds this has no storage, and every query is the
/// constant `true`.
///
/// It is passed with the options of a core and belongs to that core alone.
package struct Guards: Hashable, Sendable {
    #if MARTLET_MUTANTS
        /// A bit for each guard that is off, in declaration order.
        private var off: UInt128 = 0
    #endif

    /// Every guard is on.
    package static let all = Guards()

    private init() {}

    /// All guards except these are on; `nil` in a build that cannot switch guards off.
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

        private static func bit(of one: ProtocolGuard) -> UInt128 {
            guard let place = ProtocolGuard.allCases.firstIndex(of: one) else { return 0 }
            return 1 << UInt128(place)
        }
    #else
        @inlinable
        package func isOn(_ one: ProtocolGuard) -> Bool { true }
    #endif
}
