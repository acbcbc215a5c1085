package import ByteCoding
package import CacheAccess

/// The replies of one turn, end to end, until the shell has sent them.
///
/// A long reply gets the memory it was written into for itself, so that it can be sent from there
/// instead of being copied once more; what is written after it goes into other memory.
package struct ReplyBuffer: ~Copyable {
    /// Where one reply lies, whose it is, and what it claims.
    package struct Entry {
        package var peer: PeerID
        /// Whose key it was asked with.
        package var principal: PrincipalNumber
        package var offset: Int
        package var count: Int
        /// Calls something fresh, by a lease that was held when the turn began.
        package var claimsFresh: Bool
        /// Whether its asker may be told to ask again instead. Not where something may have been
        /// done: BUSY says that nothing was, and the asker would do it a second time.
        package var mayBeReplaced: Bool
        /// What is sent of it.
        package enum Fate: Hashable, Sendable {
            case reply
            /// BUSY: its asker asks again.
            case busy
            case nothing
        }

        /// A reply with a fresh value is not sent once the lease is over. A reader that
        /// was left without an answer would wait until its time is over.
        package func fate(mayClaimFresh: Bool) -> Fate {
            guard claimsFresh, !mayClaimFresh else { return .reply }
            return mayBeReplaced ? .busy : .nothing
        }

        /// Whether ``ReplyBuffer/takeMemory(of:)`` gives the reply's memory away.
        package var hasOwnMemory = false
        /// The memory it lies in, if the writer has let go of it.
        fileprivate var block: Int?
    }

    package var writer = ByteWriter(capacityBytes: ShardLimits.replyRoomBytes)
    package private(set) var entries: [Entry] = []
    /// Whose key that was asked with which is being answered.
    package var principal = PrincipalNumber.unknown
    /// Whether what is being answered has changed nothing.
    package var mayBeReplaced = true
    /// Memory that the writer has let go of; `nil` once it was taken.
    private var blocks: [UnsafeMutableRawPointer?] = []
    private var blockBytes = 0
    /// The first entry that lies in the writer.
    private var firstInWriter = 0
    /// Whether a long reply did not get its memory, because that is much longer.
    private var isRoomTooLarge = false

    package init() {
        entries.reserveCapacity(ShardLimits.framesPerTurnMax)
    }

    deinit {
        for block in blocks { block?.deallocate() }
    }

    /// All replies together.
    package var byteCount: Int { blockBytes + writer.count }

    /// Notes that everything written since `offset` is the reply to `peer`.
    package mutating func close(from offset: Int, to peer: PeerID, claimsFresh: Bool) {
        precondition(writer.count > offset, "a reply has at least a header")
        let entry = Entry(
            peer: peer, principal: principal, offset: offset, count: writer.count - offset,
            claimsFresh: claimsFresh, mayBeReplaced: mayBeReplaced)
        entries.append(entry)
        if entry.count >= ShardLimits.ownMemoryBytesMin { detach(entry) }
    }

    /// Gives a long reply its memory, unless that would hold much more than the reply needs: what
    /// its receiver is slow to take stays in memory.
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
    /// its replies are forgotten.
    package func bytes(of entry: Entry) -> UnsafeRawBufferPointer {
        guard let block = entry.block else {
            return UnsafeRawBufferPointer(
                rebasing: writer.bytes[entry.offset..<(entry.offset + entry.count)])
        }
        guard let memory = blocks[block] else { preconditionFailure("its memory was taken") }
        return UnsafeRawBufferPointer(start: memory + entry.offset, count: entry.count)
    }

    /// Hands over the memory that a reply has for itself, once; whoever has it deallocates it. The
    /// replies before it that lie there too are gone with it: send them first.
    package mutating func takeMemory(of entry: Entry) -> UnsafeMutableRawPointer {
        guard entry.hasOwnMemory, let block = entry.block, let memory = blocks[block] else {
            preconditionFailure("only a reply that has its own memory can give it away, and once")
        }
        blocks[block] = nil
        return memory
    }

    /// Forgets the replies. Keeps the writer's room, unless a burst has made it too large for long
    /// replies to get it for themselves.
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
