import TestSupport
import ZeroMQ

extension Socket {
    func sendFrame(_ bytes: [UInt8], more: Bool = false) throws(ZeroMQError) -> SendOutcome {
        do {
            return try bytes.withUnsafeBytes { try send($0, more: more) }
        } catch let error as ZeroMQError {
            throw error
        } catch {
            fatalError("only ZeroMQ errors are thrown here")
        }
    }

    /// Sends a message as soon as there is room for its first frame.
    func deliver(_ frames: [UInt8]...) throws {
        try waitUntilReady(for: .writable)
        for (index, frame) in frames.enumerated() {
            let outcome = try sendFrame(frame, more: index < frames.count - 1)
            guard outcome == .sent else { throw GaveUp("frame was not sent") }
        }
    }

    /// The frames of the next message.
    func nextMessage() throws -> [[UInt8]] {
        try waitUntilReady(for: .readable)
        guard let message = try messageIfAny() else {
            throw GaveUp("readable, yet nothing to receive")
        }
        return message
    }

    func messageIfAny() throws -> [[UInt8]]? {
        var frame = Frame()
        guard try receive(into: &frame) else { return nil }
        var frames = [Array(frame.bytes)]
        while frame.hasMore {
            guard try receive(into: &frame) else {
                throw GaveUp("a message ended early")
            }
            frames.append(Array(frame.bytes))
        }
        return frames
    }

    func waitUntilReady(for events: PollEvents) throws {
        var poller = Poller()
        let index = poller.add(self, for: events)
        let deadline = ContinuousClock.now + patience
        while ContinuousClock.now < deadline {
            if try poller.wait(timeout: patience) > 0, poller.isReady(index) { return }
        }
        throw GaveUp("nothing happened on a \(kind) socket")
    }
}

/// The ZeroMQ error that `body` ends with, if it does.
func failure(of body: () throws(ZeroMQError) -> Void) -> ZeroMQError? {
    do {
        try body()
        return nil
    } catch {
        return error
    }
}
