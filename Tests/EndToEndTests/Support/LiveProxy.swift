import Foundation
import TestSupport
import Threading

/// Stands between a node and the publisher's live port, and loses what it is told to.
///
///     node SUB ──▶ LiveProxy ──▶ XPUB of the publisher
///              ◀── frames pass, or do not
final class LiveProxy: Sendable {
    enum Mode: Sendable, CaseIterable {
        case open
        /// Heartbeats pass, records are lost.
        case heartbeatsOnly
        /// Records are lost, doubled and come in another order.
        case shuffled
        /// The connections stand, and nothing passes in either direction.
        case silent
        /// Connections are closed, and new ones at once.
        case closed
    }

    private struct State {
        var mode = Mode.open
        var droppedCount = 0
        var passedCount = 0
        var connections: [TCPSocket] = []
        var isStopped = false
    }

    private let listener: TCPSocket
    private let target: UInt16
    private let state = Guarded(State())

    init(to target: UInt16) throws {
        self.target = target
        listener = try TCPSocket.listening()
        Thread.detachNewThread { self.accept() }
    }

    var endpoint: String { "tcp://127.0.0.1:\(listener.port)" }
    /// How many messages of records were lost.
    var droppedCount: Int { state.withLock(\.droppedCount) }

    /// How many messages of records came through whole and in their place.
    var passedCount: Int { state.withLock(\.passedCount) }

    func set(_ mode: Mode) {
        state.withLock { state in
            state.mode = mode
            if mode == .closed { Self.closeAll(&state) }
        }
    }

    func stop() {
        state.withLock { state in
            state.isStopped = true
            Self.closeAll(&state)
        }
        listener.shutDown()
    }

    private static func closeAll(_ state: inout State) {
        for connection in state.connections { connection.shutDown() }
    }

    private func accept() {
        while let near = listener.accepted() {
            guard let far = try? TCPSocket.connected(to: target), isTaken(near, far) else {
                near.close()
                continue
            }
            Thread.detachNewThread { self.carry(near, far) }
        }
        listener.close()
    }

    private func isTaken(_ near: TCPSocket, _ far: TCPSocket) -> Bool {
        state.withLock { state in
            guard state.mode != .closed, !state.isStopped else {
                far.close()
                return false
            }
            state.connections += [near, far]
            return true
        }
    }

    /// Carries bytes both ways until either side ends; then closes both.
    private func carry(_ near: TCPSocket, _ far: TCPSocket) {
        let upward = Thread.ended { self.pump(from: near, to: far) { $0 } }
        let filter = Guarded(FrameFilter())
        pump(from: far, to: near) { bytes in
            let treatment = self.treatment
            let outcome = filter.withLock { $0.pass(bytes, treatment) }
            self.state.withLock { state in
                state.droppedCount += outcome.droppedCount
                if state.mode == .open { state.passedCount += outcome.passedCount }
            }
            return outcome.bytes
        }
        upward.wait()
        state.withLock { state in
            state.connections.removeAll {
                [near.descriptor, far.descriptor].contains($0.descriptor)
            }
            near.close()
            far.close()
        }
    }

    private var treatment: FrameFilter.Treatment {
        switch state.withLock(\.mode) {
        case .heartbeatsOnly: .drop
        case .shuffled: .shuffle
        case .open, .silent, .closed: .pass
        }
    }

    private func pump(
        from source: TCPSocket, to sink: TCPSocket, _ filter: ([UInt8]) -> [UInt8]
    ) {
        while true {
            let bytes = source.received()
            if bytes.isEmpty { break }
            let passed = filter(bytes)
            if state.withLock(\.mode) == .silent { continue }
            if !passed.isEmpty, !sink.say(passed) { break }
        }
        source.shutDown()
        sink.shutDown()
    }
}

extension Thread {
    /// Runs a body on a thread of its own.
    ///
    /// - Returns: what is signalled at its end.
    fileprivate static func ended(_ body: @escaping @Sendable () -> Void) -> DispatchSemaphore {
        let end = DispatchSemaphore(value: 0)
        detachNewThread {
            body()
            end.signal()
        }
        return end
    }
}
