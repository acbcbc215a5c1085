import PublisherCore

/// What other threads tell the one that owns the publisher.
enum PublisherLetter: Sendable {
    case reload(PublisherPlan)
    case stop
}
