import GatewayCore

/// Receipts of the connections of one event loop, collected so that the hub is called once.
///
/// Only its event loop accesses it.
final class PushReceipts {
    private var passed: [(SubscriberID, Int)] = []
    private var isOpen = true
    private let sharedHub: SharedPushHub

    init(_ sharedHub: SharedPushHub) { self.sharedHub = sharedHub }

    func add(_ id: SubscriberID, _ bytes: Int) {
        guard isOpen else {
            sharedHub.taken([(id, bytes)])
            return
        }
        passed.append((id, bytes))
    }

    /// From now on each is reported at once.
    func close() {
        isOpen = false
        if !passed.isEmpty { sharedHub.taken(passed) }
        passed = []
    }
}
