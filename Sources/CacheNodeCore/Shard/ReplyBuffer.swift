package import ByteCoding

/// The replies of one turn, end to end in one buffer, until the shell has sent them.
package struct ReplyBuffer: ~Copyable {
    /// Where one reply lies, whose it is, and what it claims.
    package struct Entry {
        package var peer: PeerID
        package var offset: Int
        package var count: Int
        /// Calls something fresh, by a lease that was held when the turn began.
        package var claimsFresh: Bool
    }

    package var writer = ByteWriter(capacityBytes: 64 << 10)
    package private(set) var entries: [Entry] = []

    package init() {
        entries.reserveCapacity(ShardLimits.framesPerTurnMax)
    }

    /// Notes that everything written since `offset` is the reply to `peer`.
    package mutating func close(from offset: Int, to peer: PeerID, claimsFresh: Bool) {
        precondition(writer.count > offset, "a reply has at least a header")
        entries.append(
            Entry(
                peer: peer, offset: offset, count: writer.count - offset,
                claimsFresh: claimsFresh))
    }

    /// The bytes of a reply; valid until the buffer is written to again.
    package func bytes(of entry: Entry) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            rebasing: writer.bytes[entry.offset..<(entry.offset + entry.count)])
    }

    /// Forgets the replies; keeps the room.
    package mutating func removeAll() {
        writer.removeAll()
        entries.removeAll(keepingCapacity: true)
    }
}
