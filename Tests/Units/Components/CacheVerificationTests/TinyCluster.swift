import CacheModel
import CacheVerification

/// Two nodes, one log and one thread that owns two keys, small enough to walk through everything
/// that may happen in any order. It obeys the promises of docs/consistency.md, or has one fault.
///
/// All numbers are small: a version is a byte, a position is the length of the log.
struct TinyCluster: Hashable {
    enum Fault: CaseIterable {
        case none
        /// The first record is stepped over by the second node.
        case ignoresAnInvalidation
        /// A store is not held against what was invalidated since its token.
        case takesLateFills
        /// The receipt comes before the nodes have obeyed.
        case receiptTooEarly
        /// The answer for one key is the other's.
        case servesAnotherKey
        /// A stored value loses a byte.
        case damagesValues
        /// Values are served with a version that the database does not have yet.
        case servesTheFuture
    }

    struct Entry: Hashable {
        var version: UInt8
        var fill: Int
        var isDamaged = false
    }

    struct Node: Hashable {
        var applied = 0
        var entries: [Entry?] = [nil, nil]
        /// Of each key, the position of the last invalidation that was obeyed.
        var floors = [0, 0]
    }

    /// A get on its way, from when it is sent until its fill is over.
    struct Get: Hashable {
        enum State: Hashable {
            case asked
            case answered(Entry?, of: Int, token: Int)
            case filling(version: UInt8, token: Int)
        }

        var key: Int
        var node: Int
        var floor: UInt64
        var state: State
    }

    struct Sent: Hashable {
        var ticket: InvalidationTicket
        /// Its place in the log, from 1.
        var position: Int
    }

    let fault: Fault
    var nodes = [Node(), Node()]
    /// The key of each record.
    var log: [Int] = []
    var gets: [Get] = []
    var sent: [Sent] = []
    var changesLeft: Int
    var invalidationsLeft: Int
    var getsLeft: Int

    /// Whether all nodes have obeyed a record – or somebody says so too early.
    func isObeyed(_ position: Int) -> Bool {
        fault == .receiptTooEarly || nodes.allSatisfy { $0.applied >= position }
    }

    /// A node obeys its next record.
    mutating func apply(on node: Int) {
        let key = log[nodes[node].applied]
        nodes[node].applied += 1
        let position = nodes[node].applied
        if fault == .ignoresAnInvalidation, node == 1, position == 1 { return }
        nodes[node].floors[key] = position
        nodes[node].entries[key] = nil
    }

    /// A node answers a get: with what it has, or with a token.
    mutating func answer(_ index: Int) {
        let get = gets[index]
        let node = nodes[get.node]
        let isMixedUp = fault == .servesAnotherKey && node.entries[1 - get.key] != nil
        let shown = isMixedUp ? 1 - get.key : get.key
        var entry = node.entries[shown]
        if fault == .servesTheFuture { entry?.version += 1 }
        gets[index].state = .answered(entry, of: shown, token: node.applied)
    }

    /// A store arrives: it is taken if nothing was obeyed for its key since its token.
    mutating func store(_ index: Int) {
        let get = gets.remove(at: index)
        guard case .filling(let version, let token) = get.state else { return }
        guard fault == .takesLateFills || token >= nodes[get.node].floors[get.key] else { return }
        let isDamaged = fault == .damagesValues
        let entry = Entry(version: version, fill: token, isDamaged: isDamaged)
        nodes[get.node].entries[get.key] = entry
    }
}
