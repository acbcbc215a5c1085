/// Why a store was not admitted. A closed list; each has a counter, a number on the wire
/// (docs/protocol.md) and a sentence.
public enum StoreRefusal: UInt8, Error, CaseIterable, Sendable {
    /// The token's position lies below a floor that covers the entry: it was invalidated
    /// meanwhile. The value may be used once by the caller that loaded it.
    case invalidatedMeanwhile = 1
    /// The token's load lease was voided by another store or removal of the key, or never given.
    case leaseVoid = 2
    /// A version at or above this one is resident, or a version floor lies above it.
    case olderVersion = 3
    /// The entry alone would take more than its share of the tier.
    case tooLarge = 4
    /// The namespace does not take stores without a token or a version, or not so soon after an
    /// invalidation.
    case blind = 5
    /// The token's position lies below the position below which no token is trusted any more.
    case tokenTooOld = 6
    /// The token's position lies beyond what this node has applied, and it did not catch up in
    /// time.
    case behind = 7
    /// The publisher, which orders stores in this topology, could not be reached in time. The
    /// value was not stored; the key may have been invalidated.
    case publisherUnreachable = 8
    /// A key, value, tag, ETag or namespace is outside its limits; the reply's message says which.
    case outOfRange = 9
    /// The key is not resident, so there is nothing to touch.
    case absent = 10
    /// The upload named by the store is not there, or not whole.
    case uploadIncomplete = 11
    /// The node is leaving and takes nothing new.
    case draining = 12
    /// What is stored is not the value that was to be renewed, or it is gone.
    case changed = 13
    /// The namespace's origin refused the write; the reply's message has its words.
    case originRefused = 14
    /// The namespace's origin has not answered in time, and the write is not queued yet. It goes
    /// on: the origin may have it, or get it.
    case originUnanswered = 15
    /// The origin does not take the write now, and it could not be queued: the node has no queue,
    /// or its disk does not take it.
    case queueUnusable = 16
    /// Memory has no room for it and evicts nothing for it: the namespace holds as much as it may
    /// and evicts none of its entries, or all other entries belong to such namespaces.
    case full = 17
    /// The node has not received the settings of its namespaces, or cannot read them.
    case unconfigured = 18
    /// Another shard owns the key, or its owner is changing. Nothing was done; a new topology says
    /// where to ask.
    case moved = 19

    /// One sentence for people.
    public var sentence: String {
        switch self {
        case .invalidatedMeanwhile: "it was invalidated after it was read"
        case .leaseVoid: "another store or removal of the key came first"
        case .olderVersion: "a newer version is stored, or an older one was ruled out"
        case .tooLarge: "it is larger than one entry may be"
        case .blind: "the namespace takes no store without a token or version now"
        case .tokenTooOld: "its fill token is too old to be checked"
        case .behind: "the node has not yet applied the position asked for"
        case .publisherUnreachable: "the publisher, which orders stores, does not answer"
        case .outOfRange: "a key, value, tag or option is outside its limits"
        case .absent: "the key is not there"
        case .uploadIncomplete: "its upload is not whole"
        case .draining: "the node is leaving"
        case .changed: "another value is stored than the one to be renewed"
        case .originRefused: "its origin refused the write"
        case .originUnanswered: "its origin did not answer in time; the write continues"
        case .queueUnusable: "its origin takes no writes now, and the node cannot queue them"
        case .unconfigured: "the node has not received a configuration that it can read"
        case .moved: "another shard owns the key, or will in a moment"
        case .full:
            "there is no room, and no entry may be evicted for it (when-full: refuse); remove "
                + "entries, or raise memory-max, entries-max or the node's memory"
        }
    }
}
