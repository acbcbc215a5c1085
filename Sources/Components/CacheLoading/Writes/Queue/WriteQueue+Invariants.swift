import CacheModel

extension WriteQueue {
    /// Invariants after every event.
    ///
    /// - Complexity: O(writes), in checked builds, while there are few.
    func checkInvariants() {
        #if CACHE_CHECKED
            guard writes.count <= 64 else { return }
            var all = 0
            for (line, lane) in lanes {
                precondition(!lane.isEmpty, "a key without writes is not kept")
                let numbers = Array(lane)
                all += numbers.count
                precondition(zip(numbers, numbers.dropFirst()).allSatisfy(<), "a key has an order")
                for (place, number) in numbers.enumerated() {
                    guard let write = writes[number] else {
                        preconditionFailure("a waiting write is known")
                    }
                    precondition(write.content.line == line, "a write waits in its own line")
                    precondition(
                        place == 0 || write.course == .waiting, "one write of a key at a time")
                    precondition(
                        write.keeping != .durable || held[line] != nil,
                        "what is accepted is shown")
                    precondition(
                        write.keeping != .durable || write.ticket == nil,
                        "what is accepted is answered")
                }
            }
            precondition(
                directCount == writes.values.count { $0.isDirect }, "direct writes are counted")
            precondition(all == writes.count, "no write is lost")
            for line in held.keys {
                precondition(
                    lanes[line]?.contains { writes[$0]?.isDirect == false } == true,
                    "a key is held for what is accepted, and no longer")
            }
            let costs =
                writes.values.reduce(0) { $0 + $1.content.costBytes }
                + rejected.values.reduce(0) { $0 + $1.write.content.costBytes }
            precondition(bytes == costs, "bytes are counted")
            precondition(bytes <= WriteLimits.bytesMax, "no more is kept than may")
        #endif
    }
}
