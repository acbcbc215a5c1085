/// How a node's run ended.
package enum NodeEnd: Equatable, Sendable {
    /// It was asked to.
    case stopped
    /// It was ordered to leave, and finished what it had accepted.
    case drained
    /// The publisher says that it can never work like this.
    case refused(String)
    /// Something failed that should not.
    case failed(String)
}
