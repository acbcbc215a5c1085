import PublisherCore
import Synchronization
import ZeroMQ

/// The only way from other threads to the one that owns the publisher.
final class PublisherMailbox: Sendable {
    enum Command: Sendable {
        case reload(PublisherPlan)
        case stop
    }

    let bell: Wakeup
    private let commands = Mutex<[Command]>([])

    init() throws(ZeroMQError) {
        bell = try Wakeup()
    }

    func post(_ command: Command) {
        commands.withLock { $0.append(command) }
        bell.signal()
    }

    /// What was posted since. Only the owner calls this.
    func take() -> [Command] {
        bell.drain()
        return commands.withLock { commands in
            defer { commands = [] }
            return commands
        }
    }
}
