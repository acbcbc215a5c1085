import Synchronization

/// Whether a request's time was over before it was complete: set by its event loop, read by its
/// task.
final class LateMark: Sendable {
    let mark = Atomic<Bool>(false)
}
