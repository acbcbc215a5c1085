/// Whether and how a node that has just started has loaded what others are asked for.
package struct WarmUpSettings: Hashable, Sendable {
    /// Whom it asks which keys are hot.
    package enum Source: String, CaseIterable, Sendable {
        /// Nobody: what is asked for is loaded when it is asked for.
        case off
        /// A live replica.
        case peers
    }

    package var source = Source.off
    /// Most keys that are loaded.
    package var keysMax = 10_000
    /// Most keys a second.
    package var perSecond = 500

    package init() {}
}
