import NIOCore
import Threading

/// Turns away whoever comes when there are connections enough. Stands first in each.
final class ConnectionCount: Sendable {
    private let count = Guarded(0)

    /// - Returns: whether there is room for it; if so, it counts until it is closed.
    func admit(_ channel: any Channel) -> Bool {
        let hasRoom = count.withLock { count in
            guard count < HealthLimits.connectionsMax else { return false }
            count += 1
            return true
        }
        guard hasRoom else { return false }
        channel.closeFuture.whenComplete { [count] _ in count.withLock { $0 -= 1 } }
        return true
    }
}
