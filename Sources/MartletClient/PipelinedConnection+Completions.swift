package import CacheModel
import ByteCoding
import CacheClientCore
import CacheWire
import ZeroMQ

extension PipelinedConnection {
    /// Hands out answers: whole messages until at least `limit` operations were seen or nothing
    /// is there. If nothing is there at first, waits for `timeout`.
    ///
    /// - Parameter body: gets the tag, what became of it, the value – valid inside only – and
    ///   when its message was sent.
    /// - Returns: how many operations were seen.
    /// - Throws: ``CacheError/Code/disconnected`` if the sockets fail.
    package mutating func takeCompletions(
        limit: Int, timeout: Duration,
        _ body: (UInt32, PipelinedOutcome, UnsafeRawBufferPointer, Instant) -> Void
    ) throws(CacheError) -> Int {
        do throws(ZeroMQError) {
            var count = tellLost(body)
            count += try drain(limit: limit, body)
            if count == 0, inFlightCount > 0, timeout > .zero {
                try wait(timeout)
                count = try drain(limit: limit, body)
            }
            return count
        } catch {
            throw CacheError(.disconnected, "\(error)")
        }
    }

    /// Gives up what was sent before that moment and not answered, such as to a node that died.
    ///
    /// - Returns: how many operations were given up.
    /// - Complexity: O(window).
    package mutating func giveUp(
        sentBefore moment: Instant,
        _ body: (UInt32, PipelinedOutcome, UnsafeRawBufferPointer, Instant) -> Void
    ) -> Int {
        for place in places.indices
        where places[place].isOpen && places[place].count > 0 && places[place].sentAt < moment {
            lost.append(place)
        }
        return tellLost(body)
    }

    private mutating func drain(
        limit: Int, _ body: (UInt32, PipelinedOutcome, UnsafeRawBufferPointer, Instant) -> Void
    ) throws(ZeroMQError) -> Int {
        var count = 0
        for lane in lanes {
            while count < limit, try lane.socket.receive(into: &frame) {
                count += complete(body)
            }
        }
        return count
    }

    /// Hands out the answers in the frame.
    private mutating func complete(
        _ body: (UInt32, PipelinedOutcome, UnsafeRawBufferPointer, Instant) -> Void
    ) -> Int {
        do throws(WireRefusal) {
            let message = try MessageView(decoding: frame.bytes)
            let place = Int(UInt32(truncatingIfNeeded: message.requestID))
            guard place < places.count, places[place].isOpen,
                places[place].generation == UInt32(message.requestID >> 32)
            else { return 0 }
            let held = places[place]
            close(place)
            var done = 0
            if message.type == .results, message.count == held.count {
                done = results(of: message, held, at: place * options.batch, body)
            }
            let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
            for index in done..<held.count {
                body(tags[place * options.batch + index], .refused, nothing, held.sentAt)
            }
            return held.count
        } catch {
            // Whose answer it was cannot be told; it is given up in its time.
            return 0
        }
    }

    /// - Returns: how many results could be read.
    private func results(
        of message: MessageView, _ held: Place, at firstTag: Int,
        _ body: (UInt32, PipelinedOutcome, UnsafeRawBufferPointer, Instant) -> Void
    ) -> Int {
        var done = 0
        do throws(WireRefusal) {
            var reader = ByteReader(message.body)
            _ = try Proof(decoding: &reader)
            while done < held.count {
                let result = try OperationResult(decoding: &reader)
                body(
                    tags[firstTag + done], PipelinedOutcome(result.status), result.value,
                    held.sentAt)
                done += 1
            }
        } catch {
            // The caller counts the rest as refused.
        }
        return done
    }

    private mutating func tellLost(
        _ body: (UInt32, PipelinedOutcome, UnsafeRawBufferPointer, Instant) -> Void
    ) -> Int {
        guard !lost.isEmpty else { return 0 }
        var count = 0
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        for place in lost where places[place].isOpen {
            let held = places[place]
            close(place)
            for index in 0..<held.count {
                body(tags[place * options.batch + index], .lost, nothing, held.sentAt)
            }
            count += held.count
        }
        lost.removeAll(keepingCapacity: true)
        return count
    }

    private mutating func close(_ place: Int) {
        places[place].isOpen = false
        places[place].count = 0
        free.append(place)
    }
}
