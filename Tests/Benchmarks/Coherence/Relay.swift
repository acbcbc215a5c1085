import CacheWire
import TestSupport
import Threading
import ZeroMQ

/// Stands in the live channel and loses what it is told to: records, and the heartbeat that
/// follows them at once, so that only the next regular one can tell of them.
final class Relay: Sendable {
    struct State {
        var isLosing = false
        var isStopped = false
        /// When the last record was lost, and how many messages were.
        var lostAt: UInt64 = 0
        var lostCount = 0
    }

    let endpoint: String
    private let state: Guarded<State>
    private let thread: OwnedThread<GaveUp?>

    /// Passes on what `publisher` sends; whoever connects to ``endpoint`` gets it.
    init(from publisher: String, _ context: Context) throws {
        let state = Guarded(State())
        let place = Promise<String>()
        thread = try OwnedThread(name: "relay") {
            do {
                let input = try Socket(context, .sub)
                try input.subscribe(prefix: [])
                try input.connect(Endpoint(publisher))
                let output = try Socket(context, .pub)
                place.fulfil(try output.bind(Endpoint(BareProtocol.anywhere)).description)
                try Self.carry(input, output, state)
                return nil
            } catch {
                place.fulfil("")
                return GaveUp("the relay ended: \(error)")
            }
        }
        self.state = state
        endpoint = place.wait()
    }

    var seen: State { state.withLock { $0 } }

    func set(losing isLosing: Bool) {
        state.withLock {
            $0.isLosing = isLosing
            if isLosing { $0.lostCount = 0 }
        }
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        if let end = thread.join() { print(end) }
    }

    private static func carry(
        _ input: borrowing Socket, _ output: borrowing Socket, _ state: Guarded<State>
    ) throws {
        var poller = Poller()
        _ = poller.add(input, for: .readable)
        var frame = Frame()
        while !state.withLock(\.isStopped) {
            _ = try poller.wait(timeout: .milliseconds(50))
            while try input.receive(into: &frame) {
                let isRecord = try MessageView(decoding: frame.bytes).type == .records
                let isLost = state.withLock { state in
                    guard state.isLosing else { return false }
                    if isRecord { state.lostAt = Time.now }
                    state.lostCount += 1
                    return true
                }
                if !isLost { _ = try output.send(&frame, more: false) }
            }
        }
    }
}
