package import CacheModel
import ByteCoding
import CacheWire
import Threading
import ZeroMQ

extension PipelinedConnection {
    /// Reports completions: whole messages, until it has reported at least `limit` operations or no
    /// answer is left. Without an answer at first, it waits for `timeout`.
    ///
    /// - Parameter body: receives every completion; its views are valid inside only.
    /// - Returns: how many operations it reported.
    /// - Throws: ``CacheError/Code/disconnected`` if the sockets fail;
    ///   ``CacheError/Code/invalidArgument`` if the cluster has more shards now than one thread can
    ///   watch.
    package mutating func takeCompletions(
        limit: Int, timeout: Duration, _ body: (PipelinedCompletion) -> Void
    ) throws(CacheError) -> Int {
        if follower.isUnderWay { try follow() }
        do throws(ZeroMQError) {
            var count = tellLost(body)
            count += try drain(limit: limit, body)
            if count == 0, timeout > .zero {
                try wait(timeout)
                count = try drain(limit: limit, body)
            }
            return count
        } catch {
            throw CacheError(.disconnected, "\(error)")
        }
    }

    /// Gives up operations that were sent before that moment and not answered, such as to a dead
    /// node.
    ///
    /// - Returns: how many operations were given up.
    /// - Complexity: O(window).
    package mutating func giveUp(
        sentBefore moment: Instant, _ body: (PipelinedCompletion) -> Void
    ) -> Int {
        window.loseAll(sentBefore: moment)
        // A publisher that has answered something since then is only slow with that one.
        if let last = invalidations.loseAll(sentBefore: moment), publisherHeardAt <= last {
            publisherFellSilent(at: MonotonicClock.now)
        }
        return tellLost(body)
    }

    private mutating func drain(
        limit: Int, _ body: (PipelinedCompletion) -> Void
    ) throws(ZeroMQError) -> Int {
        var count = 0
        if let publisher, invalidations.openCount > 0 {
            // An answer may replace it. Then its other messages are given up.
            while self.publisher === publisher, count < limit,
                try publisher.socket.receive(into: &frame)
            {
                publisherHeardAt = MonotonicClock.now
                count += completeInvalidation(body)
            }
        }
        for lane in lanes {
            while count < limit, try lane.socket.receive(into: &frame) {
                count += complete(body)
            }
        }
        return count
    }

    private mutating func complete(_ body: (PipelinedCompletion) -> Void) -> Int {
        do throws(WireRefusal) {
            let message = try MessageView(decoding: frame.bytes)
            guard let (place, held) = window.close(requestID: message.requestID)
            else { return 0 }
            var done = 0
            if message.type == .results, message.count == held.count {
                done = results(of: message, held, at: place, body)
            }
            let rest = PipelinedOutcome(instead: message)
            for index in done..<held.count {
                body(PipelinedCompletion(window.operation(index, at: place, of: held), rest))
            }
            return held.count
        } catch {
            // The operation of this answer is unknown; it is given up after its timeout.
            return 0
        }
    }

    /// - Returns: how many results could be read.
    private mutating func results(
        of message: MessageView, _ held: PipelineWindow.Place, at place: Int,
        _ body: (PipelinedCompletion) -> Void
    ) -> Int {
        var done = 0
        do throws(WireRefusal) {
            var reader = ByteReader(message.body)
            let proof = try Proof(decoding: &reader)
            if proof.topologyVersion != topology.version { heardOfAnotherTopology() }
            while done < held.count {
                let result = try OperationResult(decoding: &reader)
                body(
                    PipelinedCompletion(
                        window.operation(done, at: place, of: held),
                        PipelinedOutcome(result.status), position: proof.position, result))
                done += 1
            }
        } catch {
            // The caller counts the rest as refused.
        }
        return done
    }

    private mutating func tellLost(_ body: (PipelinedCompletion) -> Void) -> Int {
        let count = window.tellLost(body)
        // The shard may be at another address now, or its keys at another shard.
        if count > 0 { heardOfAnotherTopology() }
        return count + invalidations.tellLost(body)
    }
}
