import PushCore

/// What the connections of one event loop have passed on in one go, so that the hub is told once.
///
/// Only its event loop touches it.
final class PushReceipts {
    private var passed: [(SubscriberID, Int)] = []
    private var isOpen = true
    private let desk: PushDesk

    init(_ desk: PushDesk) { self.desk = desk }

    func add(_ id: SubscriberID, _ bytes: Int) {
        guard isOpen else {
            desk.taken([(id, bytes)])
            return
        }
        passed.append((id, bytes))
    }

    /// From now on each is told as it comes.
    func close() {
        isOpen = false
        if !passed.isEmpty { desk.taken(passed) }
        passed = []
    }
}
