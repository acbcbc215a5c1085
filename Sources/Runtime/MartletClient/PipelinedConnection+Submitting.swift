import CacheModel
import ByteCoding
import CacheClientCore
import CacheWire
import Threading
import ZeroMQ

extension PipelinedConnection {
    /// Gets a key; the completion carries `tag`.
    ///
    /// - Parameter wantsToken: whether a miss returns a fill token. The holder of a token loads the
    ///   value; the node does not ask the namespace's origin then.
    /// - Returns: `false` if the window is full: take completions first.
    package mutating func submitGet(
        key: UnsafeRawBufferPointer, wantsToken: Bool = false, tag: UInt32
    ) -> Bool {
        guard let shard = shard(for: key) else { return false }
        while true {
            let isTaken = add(tag, bytes: key.count, to: &lane(of: shard).gets, of: shard) {
                GetOperation.append(key: key, options: wantsToken ? .token : [], to: &$0)
            }
            if let isTaken { return isTaken }
        }
    }

    /// Stores a value; the completion carries `tag`.
    ///
    /// - Parameter token: of the miss that the value was loaded for; `nil` stores it blindly.
    /// - Precondition: key and value fit a message; the caller knows the limits.
    /// - Returns: `false` if the window is full: take completions first.
    package mutating func submitSet(
        key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, token: PipelinedToken? = nil,
        tag: UInt32
    ) -> Bool {
        guard let shard = shard(for: key) else { return false }
        var description = SetOperation.Description()
        if let token {
            description.token = token.token
            description.tokenValidMilliseconds = token.validMilliseconds
        }
        let bytes = key.count + value.count
        while true {
            let isTaken =
                token == nil
                ? add(tag, bytes: bytes, to: &lane(of: shard).sets, of: shard) {
                    SetOperation.append(key: key, value: value, description, to: &$0)
                }
                : add(tag, bytes: bytes, to: &lane(of: shard).fills, of: shard) {
                    SetOperation.append(key: key, value: value, description, to: &$0)
                }
            if let isTaken { return isTaken }
        }
    }

    /// Removes a key everywhere: its node issues an invalidation, and answers after applying it.
    ///
    /// - Returns: `false` if the window is full: take completions first.
    package mutating func submitRemove(key: UnsafeRawBufferPointer, tag: UInt32) -> Bool {
        guard let shard = shard(for: key) else { return false }
        while true {
            let isTaken = add(tag, bytes: key.count, to: &lane(of: shard).removes, of: shard) {
                DeleteOperation.append(key: key, to: &$0)
            }
            if let isTaken { return isTaken }
        }
    }

    /// Sends the messages that are not full yet.
    package mutating func flush() {
        for index in lanes.indices {
            let lane = lanes[index]
            if lane.gets.place != nil { post(&lane.gets, over: lane) }
            if lane.sets.place != nil { post(&lane.sets, over: lane) }
            if lane.fills.place != nil { post(&lane.fills, over: lane) }
            if lane.removes.place != nil { post(&lane.removes, over: lane) }
        }
        flushInvalidations()
    }

    /// Sends the messages that are not full yet, if nothing else is in flight: no answer would come
    /// and free capacity.
    package mutating func flushIfIdle() {
        guard options.batch > 1 else { return }
        let drafts = lanes.reduce(0) { count, lane in
            count + (lane.gets.place == nil ? 0 : 1) + (lane.sets.place == nil ? 0 : 1)
                + (lane.fills.place == nil ? 0 : 1) + (lane.removes.place == nil ? 0 : 1)
        }
        if drafts > 0, window.openCount == drafts { flush() }
    }

    /// Whether the window has room for another message to a shard.
    package var canSubmit: Bool { !window.isFull }

    /// The index of the key's shard among the connected ones.
    private mutating func shard(for key: UnsafeRawBufferPointer) -> Int? {
        if shardNumbers.count == 1 { return 0 }
        let route = hasher.hash(key)
        let shard =
            node.map { topology.shard(of: route, on: $0) } ?? topology.shardToAsk(for: route)
        return shard.map { $0.rawValue - shardNumbers.lowerBound }
    }

    private func lane(of shard: Int) -> PipelineLane {
        options.connections == 1
            ? lanes[shard] : lanes[shard * options.connections + turns[shard]]
    }

    /// Adds an operation to a message. A lane is a class instance, and Swift checks each access to
    /// its properties at run time. So the message is accessed once for an operation.
    ///
    /// - Parameters:
    ///   - bytes: of its key and value.
    ///   - append: writes it.
    /// - Returns: whether it was added; `nil` if the message was full and was sent: try the next
    ///   one.
    @inline(__always)
    private mutating func add(
        _ tag: UInt32, bytes: Int, to draft: inout PipelineDraft, of shard: Int,
        _ append: (inout ByteWriter) -> Void
    ) -> Bool? {
        if draft.lacksRoom(for: bytes) {
            send(&draft, of: shard)
            return nil
        }
        guard let place = claim(&draft) else { return false }
        append(&draft.writer)
        window.note(tag, at: place, index: draft.count)
        draft.added()
        if draft.count == options.batch { send(&draft, of: shard) }
        return true
    }

    /// Makes sure that there is a message to add to.
    ///
    /// - Returns: its place; `nil` if the window is full.
    private mutating func claim(_ draft: inout PipelineDraft) -> Int? {
        if let place = draft.place { return place }
        guard let (place, id) = window.claim() else { return nil }
        draft.begin(
            at: place, requestID: id, in: options.namespace, of: topology.cluster,
            routedBy: topology.version)
        return place
    }

    /// Sends a full message; the next one of its shard goes over the next connection.
    private mutating func send(_ draft: inout PipelineDraft, of shard: Int) {
        post(&draft, over: lane(of: shard))
        guard options.connections > 1 else { return }
        turns[shard] = turns[shard] + 1 == options.connections ? 0 : turns[shard] + 1
    }

    private mutating func post(_ draft: inout PipelineDraft, over lane: PipelineLane) {
        guard let place = draft.seal() else { return }
        window.sent(place, count: draft.count, at: MonotonicClock.now)
        if !Self.isSent(draft, over: lane) { window.lose(place) }
    }

    /// Whether the socket accepted the message. The kind of failure does not matter: no answer
    /// comes.
    static func isSent(_ draft: borrowing PipelineDraft, over lane: PipelineLane) -> Bool {
        do {
            return try lane.socket.send(draft.writer.bytes, more: false) == .sent
        } catch {
            return false
        }
    }
}
