package import CacheModel

/// Decides what to do with an existing tier file.
package enum DiskOpening: Equatable {
    /// It belongs to this shard, and is valid as far as its tail confirms.
    case resume(Superblock)
    case anew(AnewCause)

    /// - Parameter bytes: the start of the file, at least ``Superblock/bytes`` unless it is
    ///   shorter.
    package static func judge(_ bytes: [UInt8], for owner: TierOwner) -> DiskOpening {
        switch Superblock.decoding(bytes) {
        case .failure(.empty): .anew(bytes.isEmpty ? .first : .zeros)
        case .failure(.damaged): .anew(.damaged)
        case .failure(.otherFormat(let format)): .anew(.otherFormat(format))
        case .success(let superblock):
            reason(against: superblock, owner).map { .anew($0) } ?? .resume(superblock)
        }
    }

    private static func reason(against found: Superblock, _ owner: TierOwner) -> AnewCause? {
        if found.node != owner.node { return .otherNode(found.node) }
        if found.shardCount != owner.shardCount { return .otherShardCount(Int(found.shardCount)) }
        if found.shard != owner.shard { return .otherShard(Int(found.shard)) }
        if found.geometry != owner.geometry { return .otherSize(found.geometry.fileBytes) }
        let (then, now) = (found.machine, owner.machine)
        if then.file != now.file || then.birth != now.birth { return .copied }
        guard then.boot != now.boot else { return nil }
        guard let closed = found.closed else { return .lostPower }
        return TierClock.canContinue(from: closed) ? nil : .timeUsedUp
    }
}

/// Why a tier starts empty.
package enum AnewCause: Equatable, Sendable {
    case first
    /// The file exists, and its first page is empty.
    case zeros
    case damaged
    case otherFormat(UInt8)
    case otherNode(NodeID)
    case otherShard(Int)
    case otherShardCount(Int)
    case otherSize(Int)
    case copied
    case lostPower
    /// So much time was added at reboots that too little is left.
    case timeUsedUp
    case unusable(UnusableCause)
}

extension AnewCause {
    /// Whether previous content was lost to damage, rather than discarded.
    package var isDamage: Bool {
        switch self {
        case .zeros, .damaged, .unusable: true
        case .first, .otherFormat, .otherNode, .otherShard, .otherShardCount, .otherSize, .copied,
            .lostPower, .timeUsedUp:
            false
        }
    }
}

extension AnewCause: CustomStringConvertible {
    /// The reason, for people.
    package var description: String {
        switch self {
        case .first: "there is none yet"
        case .zeros:
            "the file is there and its first page is empty: it was never finished, or the disk "
                + "lost it"
        case .damaged: "the first page of the file is damaged"
        case .otherFormat(let format):
            "another release wrote it, in format \(Superblock.name(ofFormat: format))"
        case .otherNode(let node): "it is node \(node)'s"
        case .otherShard(let shard): "it is shard \(shard)'s"
        case .otherShardCount(let count): "the node had \(count) shards"
        case .otherSize(let bytes): "it was made with another size, \(bytes) bytes"
        case .copied: "the file is a copy"
        case .lostPower: "the machine was not shut down in order"
        case .timeUsedUp: "its clock was set ahead at too many reboots"
        case .unusable(let cause): cause.description
        }
    }
}

extension UnusableCause: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tailDamaged: "the end of its log is damaged"
        case .removalsMissing: "removals were still waiting for the disk when the process ended"
        case .noCheckpoint: "there is no checkpoint that can be used"
        case .failed(let failure): "\(failure)"
        }
    }
}
