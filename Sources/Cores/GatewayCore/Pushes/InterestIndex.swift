package import CacheModel

/// The keys or tags that a subscriber wants to hear about.
///
/// An interest in keys – one, those of a beginning, those of a namespace – hears of everything
/// that may cover one of them: a tag may be on any key of its namespace. An interest in a tag
/// hears of that tag, its namespace, and everything.
package typealias Interest = Scope.Target

extension Interest {
    /// Whether a scope says something about it. Parts by hashes count as a whole.
    ///
    /// - Complexity: a comparison of names.
    package func touches(_ scope: Scope) -> Bool {
        switch (self, scope.target) {
        case (.everything, _), (_, .everything): true
        case (.namespace(let own), let target): own == target.namespace
        case (_, .namespace(let other)): namespace == other
        case (.key(let own, let room), .key(let other, let namespace)):
            own == other && room == namespace
        case (.key(let own, let room), .prefix(let bytes, let namespace)):
            room == namespace && own.bytes.starts(with: bytes)
        case (.prefix(let own, let room), .key(let other, let namespace)):
            room == namespace && other.bytes.starts(with: own)
        case (.prefix(let own, let room), .prefix(let other, let namespace)):
            room == namespace && (other.starts(with: own) || own.starts(with: other))
        case (.key(_, let room), .tag(_, let namespace)),
            (.prefix(_, let room), .tag(_, let namespace)):
            room == namespace
        case (.tag(let own, let room), .tag(let other, let namespace)):
            own == other && room == namespace
        case (.tag, .key), (.tag, .prefix): false
        }
    }

    /// `nil`: all of them.
    var namespace: Namespace? {
        switch self {
        case .everything: nil
        case .namespace(let room), .prefix(_, let room), .key(_, let room), .tag(_, let room):
            room
        }
    }
}

/// Finds the subscribers with an interest in a scope, without a look at the others.
///
/// - Complexity: for a key as many steps as its name has bytes; for others the steps of its name
///   and the subscribers found. Subscribers without an interest in the scope's namespace cost
///   nothing.
struct InterestIndex: Sendable {
    private struct Room: Sendable {
        var tree = PrefixTree()
        var tags: [Tag: [Int]] = [:]

        var isEmpty: Bool { tree.isEmpty && tags.isEmpty }
    }

    /// Subscribers to everything: they receive each record as a whole.
    private(set) var everything: [Int] = []
    private var rooms: [Namespace: Room] = [:]

    mutating func insert(_ interests: [Interest], _ slot: Int) {
        for interest in interests {
            switch interest {
            case .everything: everything.append(slot)
            case .namespace(let room): rooms[room, default: Room()].tree.insert([], .prefix, slot)
            case .prefix(let bytes, let room):
                rooms[room, default: Room()].tree.insert(bytes, .prefix, slot)
            case .key(let key, let room):
                rooms[room, default: Room()].tree.insert(key.bytes, .key, slot)
            case .tag(let tag, let room):
                rooms[room, default: Room()].tags[tag, default: []].append(slot)
            }
        }
    }

    /// - Precondition: they were inserted.
    mutating func remove(_ interests: [Interest], _ slot: Int) {
        for interest in interests {
            switch interest {
            case .everything: everything.removeOne(slot)
            case .namespace(let room): rooms[room]?.tree.remove([], .prefix, slot)
            case .prefix(let bytes, let room): rooms[room]?.tree.remove(bytes, .prefix, slot)
            case .key(let key, let room): rooms[room]?.tree.remove(key.bytes, .key, slot)
            case .tag(let tag, let room):
                rooms[room]?.tags[tag]?.removeOne(slot)
                if rooms[room]?.tags[tag]?.isEmpty == true { rooms[room]?.tags[tag] = nil }
            }
            if let room = interest.namespace, rooms[room]?.isEmpty == true { rooms[room] = nil }
        }
    }

    /// Finds the subscribers that a scope touches, those of ``everything`` apart. A subscriber may
    /// be found more than once.
    func touched(by scope: Scope, into found: inout [Int]) {
        switch scope.target {
        case .everything:
            // In the order of names: the order of sending must not differ between runs.
            for (_, room) in rooms.sorted(by: { $0.key.name < $1.key.name }) {
                Self.all(of: room, into: &found)
            }
        case .namespace(let name):
            if let room = rooms[name] { Self.all(of: room, into: &found) }
        case .key(let key, let name): rooms[name]?.tree.covering(key: key.bytes, into: &found)
        case .prefix(let bytes, let name):
            rooms[name]?.tree.touching(prefix: bytes, into: &found)
        case .tag(let tag, let name):
            rooms[name]?.tree.all(into: &found)
            if let slots = rooms[name]?.tags[tag] { found += slots }
        }
    }

    private static func all(of room: Room, into found: inout [Int]) {
        room.tree.all(into: &found)
        for (_, slots) in room.tags.sorted(by: {
            $0.key.bytes.lexicographicallyPrecedes($1.key.bytes)
        }) {
            found += slots
        }
    }
}

/// Places of subscribers, in an order that means nothing.
extension [Int] {
    /// Removes one occurrence; the last takes its place.
    ///
    /// - Complexity: O(count).
    mutating func removeOne(_ slot: Int) {
        guard let place = firstIndex(of: slot) else {
            preconditionFailure("a subscriber is removed once from where it was inserted")
        }
        swapAt(place, count - 1)
        removeLast()
    }
}
