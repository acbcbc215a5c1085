/// Which of a poller's items is meant. It means nothing to another ``Poller``.
public struct PollIndex: Hashable, Sendable {
    let rawValue: Int
}
