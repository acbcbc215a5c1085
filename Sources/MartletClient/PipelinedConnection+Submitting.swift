import CacheModel
import ByteCoding
import CacheClientCore
import CacheWire
import Threading
import ZeroMQ

extension PipelinedConnection {
    /// Asks for a key; the answer comes with `tag`.
    ///
    /// - Parameter wantsToken: asks for a fill token in case of a miss. Who holds one loads the
    ///   value; a namespace's origin is not asked then.
    /// - Returns: `false` if the window is full: take completions first.
    package mutating func submitGet(
        key: UnsafeRawBufferPointer, wantsToken: Bool = false, tag: UInt32
    ) -> Bool {
        guard let slot = slot(for: key) else { return false }
        var lane = lane(of: slot)
        while lane.gets.lacksRoom(for: key.count) {
            send(&lane.gets, of: slot)
            lane = self.lane(of: slot)
        }
        guard let place = claim(&lane.gets) else { return false }
        GetOperation.append(
            key: key, options: wantsToken ? .token : [], to: &lane.gets.writer)
        window.note(tag, at: place, index: lane.gets.count)
        lane.gets.added()
        if lane.gets.count == options.batch { send(&lane.gets, of: slot) }
        return true
    }

    /// Stores a value; the answer comes with `tag`.
    ///
    /// - Parameter token: of the miss that the value was loaded for; `nil` stores it blindly.
    /// - Precondition: key and value fit a message; the caller knows the limits.
    /// - Returns: `false` if the window is full: take completions first.
    package mutating func submitSet(
        key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, token: PipelinedToken? = nil,
        tag: UInt32
    ) -> Bool {
        guard let slot = slot(for: key) else { return false }
        var lane = lane(of: slot)
        while lane.sets.lacksRoom(for: key.count + value.count) {
            send(&lane.sets, of: slot)
            lane = self.lane(of: slot)
        }
        guard let place = claim(&lane.sets) else { return false }
        var description = SetOperation.Description()
        if let token {
            description.token = token.token
            description.tokenValidMilliseconds = token.validMilliseconds
        }
        SetOperation.append(key: key, value: value, description, to: &lane.sets.writer)
        window.note(tag, at: place, index: lane.sets.count)
        lane.sets.added()
        if lane.sets.count == options.batch { send(&lane.sets, of: slot) }
        return true
    }

    /// Removes a key, everywhere: its node has it invalidated, and answers once it has obeyed.
    ///
    /// - Returns: `false` if the window is full: take completions first.
    package mutating func submitRemove(key: UnsafeRawBufferPointer, tag: UInt32) -> Bool {
        guard let slot = slot(for: key) else { return false }
        var lane = lane(of: slot)
        while lane.removes.lacksRoom(for: key.count) {
            send(&lane.removes, of: slot)
            lane = self.lane(of: slot)
        }
        guard let place = claim(&lane.removes) else { return false }
        DeleteOperation.append(key: key, to: &lane.removes.writer)
        window.note(tag, at: place, index: lane.removes.count)
        lane.removes.added()
        if lane.removes.count == options.batch { send(&lane.removes, of: slot) }
        return true
    }

    /// Sends the messages that are not full yet.
    package mutating func flush() {
        for index in lanes.indices {
            let lane = lanes[index]
            if lane.gets.place != nil { post(&lane.gets, over: lane) }
            if lane.sets.place != nil { post(&lane.sets, over: lane) }
            if lane.removes.place != nil { post(&lane.removes, over: lane) }
        }
        flushInvalidations()
    }

    /// Sends the messages that are not full yet if nothing else is on its way: no answer would
    /// come that makes room.
    package mutating func flushIfIdle() {
        guard options.batch > 1 else { return }
        let drafts = lanes.reduce(0) { count, lane in
            count + (lane.gets.place == nil ? 0 : 1) + (lane.sets.place == nil ? 0 : 1)
                + (lane.removes.place == nil ? 0 : 1)
        }
        if drafts > 0, window.openCount == drafts { flush() }
    }

    /// Whether the window has room for another message to a shard.
    package var canSubmit: Bool { !window.isFull }

    /// The place of the key's shard among those that are asked.
    private mutating func slot(for key: UnsafeRawBufferPointer) -> Int? {
        if slots.count == 1 { return 0 }
        let route = hasher.hash(key)
        let slot = node.map { topology.shard(of: route, on: $0) } ?? topology.owner(of: route)
        return slot.map { $0.rawValue - slots.lowerBound }
    }

    private func lane(of slot: Int) -> PipelineLane {
        options.connections == 1
            ? lanes[slot] : lanes[slot * options.connections + turns[slot]]
    }

    /// Makes sure that there is a message to add to.
    ///
    /// - Returns: its place; `nil` if the window is full.
    private mutating func claim(_ draft: inout PipelineDraft) -> Int? {
        if let place = draft.place { return place }
        guard let (place, id) = window.claim() else { return nil }
        draft.begin(at: place, requestID: id, in: options.namespace)
        return place
    }

    /// Sends a full message; the next one of its shard goes over the next connection.
    private mutating func send(_ draft: inout PipelineDraft, of slot: Int) {
        post(&draft, over: lane(of: slot))
        guard options.connections > 1 else { return }
        turns[slot] = turns[slot] + 1 == options.connections ? 0 : turns[slot] + 1
    }

    private mutating func post(_ draft: inout PipelineDraft, over lane: PipelineLane) {
        guard let place = draft.seal() else { return }
        window.sent(place, count: draft.count, at: MonotonicClock.now)
        if !Self.isSent(draft, over: lane) { window.lose(place) }
    }

    /// Whether the socket took the message. What its failure is does not matter: no answer comes.
    static func isSent(_ draft: borrowing PipelineDraft, over lane: PipelineLane) -> Bool {
        do {
            return try lane.socket.send(draft.writer.bytes, more: false) == .sent
        } catch {
            return false
        }
    }
}
