/// How a node's run ended.
package enum NodeEnd: Equatable, Sendable {
    /// It was asked to.
    case stopped
    /// The publisher says that it can never work like this.
    case refused(String)
    /// Something failed that should not.
    case failed(String)
}
