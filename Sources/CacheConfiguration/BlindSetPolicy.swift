/// What a node does with a blind store: one with neither a fill token nor a version.
package enum BlindSetPolicy: String, CaseIterable, Sendable {
    /// Stores it, and marks it unfenced in every answer.
    case allow
    /// Refuses it for ``NamespacePolicy/blindSetHoldOff`` after an invalidation that covers it,
    /// and stores it otherwise.
    case holdOff = "hold-off"
    /// Refuses it always.
    case reject
}
