package import CacheWire
package import ByteCoding
package import CacheAccess

/// The replies of one turn, end to end, until the shell has sent them.
///
/// A long reply takes over the memory it was written into, so that it can be sent from there
/// without another copy; later replies are written into other memory.
package struct ReplyBuffer: ~Copyable {
    /// Offset, receiver and claims of one reply.
    package struct Entry {
        package var peer: PeerID
        /// The principal whose credentials the request had.
        package var principal: PrincipalNumber
        package var offset: Int
        package var count: Int
        /// Claims freshness, by a lease that was held when the turn began.
        package var claimsFresh: Bool
        /// Whether its asker may be told to retry instead. Not if something may have been done:
        /// BUSY means that nothing was, and the asker would do it a second time.
        package var mayBeReplaced: Bool
        /// What is sent in its place.
        package enum Fate: Hashable, Sendable {
            case reply
            /// BUSY: its asker retries.
            case busy
            case nothing
        }

        /// A reply with a fresh value is not sent once the lease is over. Without any answer its
        /// reader would wait until its deadline.
        package func fate(mayClaimFresh: Bool) -> Fate {
            guard claimsFresh, !mayClaimFresh else { return .reply }
            return mayBeReplaced ? .busy : .nothing
        }

        /// Whether ``ReplyBuffer/takeMemory(of:)`` returns the reply's memory.
        package var hasOwnMemory = false
        /// The detached memory that contains it, if any.
        fileprivate var block: Int?
    }

    package var writer = ByteWriter(capacityBytes: ShardLimits.replyRoomBytes)
    package private(set) var entries: [Entry] = []
    /// The principal of the request that is being answered.
    package var principal = PrincipalNumber.unknown
    /// Whether the request that is being answered has changed nothing.
    package var mayBeReplaced = true
    /// Memory detached from the writer; `nil` once it was taken.
    private var blocks: [UnsafeMutableRawPointer?] = []
    private var blockBytes = 0
    /// The first entry that is still in the writer.
    private var firstInWriter = 0
    /// Whether a long reply could not take its memory, because that is much larger.
    private var isRoomTooLarge = false

    package init() {
        entries.reserveCapacity(ShardLimits.framesPerTurnMax)
    }

    deinit {
        for block in blocks { block?.deallocate() }
    }

    /// Bytes of all replies together.
    package var byteCount: Int { blockBytes + writer.count }

    /// Ends a reply: everything written since `offset` is the reply to `peer`.
    package mutating func close(from offset: Int, to peer: PeerID, claimsFresh: Bool) {
        precondition(writer.count > offset, "a reply has at least a header")
        let entry = Entry(
            peer: peer, principal: principal, offset: offset, count: writer.count - offset,
            claimsFresh: claimsFresh, mayBeReplaced: mayBeReplaced)
        entries.append(entry)
        if entry.count >= ShardLimits.ownMemoryBytesMin { detach(entry) }
    }

    /// Gives a long reply its memory, unless that is much larger than the reply: a reply to a slow
    /// receiver stays in memory.
    private mutating func detach(_ entry: Entry) {
        guard writer.capacity <= ShardLimits.ownMemoryFactorMax * entry.count else {
            isRoomTooLarge = true
            return
        }
        entries[entries.count - 1].hasOwnMemory = true
        for index in firstInWriter..<entries.count { entries[index].block = blocks.count }
        firstInWriter = entries.count
        blockBytes += writer.count
        blocks.append(writer.detach(replacedBy: ShardLimits.replyRoomBytes))
    }

    /// The bytes of a reply; valid until the buffer is written to again, its memory is taken, or
    /// its replies are removed.
    package func bytes(of entry: Entry) -> UnsafeRawBufferPointer {
        guard let block = entry.block else {
            return UnsafeRawBufferPointer(
                rebasing: writer.bytes[entry.offset..<(entry.offset + entry.count)])
        }
        guard let memory = blocks[block] else { preconditionFailure("its memory was taken") }
        return UnsafeRawBufferPointer(start: memory + entry.offset, count: entry.count)
    }

    /// Transfers the memory that a reply owns, once; the caller must deallocate it. Earlier replies
    /// in the same memory are gone with it: send them first.
    package mutating func takeMemory(of entry: Entry) -> UnsafeMutableRawPointer {
        guard entry.hasOwnMemory, let block = entry.block, let memory = blocks[block] else {
            preconditionFailure("only a reply that has its own memory can give it away, and once")
        }
        blocks[block] = nil
        return memory
    }

    /// Removes the replies. Keeps the writer's capacity, unless a burst has made it too large for
    /// long replies to take over.
    package mutating func removeAll() {
        for block in blocks { block?.deallocate() }
        blocks.removeAll(keepingCapacity: true)
        blockBytes = 0
        firstInWriter = 0
        entries.removeAll(keepingCapacity: true)
        writer.removeAll()
        guard isRoomTooLarge else { return }
        writer.detach(replacedBy: ShardLimits.replyRoomBytes).deallocate()
        isRoomTooLarge = false
    }
}
