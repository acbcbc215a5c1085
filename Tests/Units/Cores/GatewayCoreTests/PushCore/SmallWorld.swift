import CacheModel
import Testing

@testable import GatewayCore

/// Two namespaces, keys of up to four letters, two tags: small enough to try everything.
///
/// What a scope covers and what somebody asked for are sets of these, so that whether the one
/// touches the other can be said without the code that is tested.
enum SmallWorld {
    enum Thing: Hashable {
        case key(String, in: String)
        case tag(String, in: String)
    }

    static let rooms = ["n", "m"]
    static let tags = ["t", "u"]
    /// Names that are asked for and invalidated.
    static let names = ["a", "b", "aa", "ab", "ba", "aab", "aba"]

    private static let keys: [String] = {
        var keys = [""]
        for _ in 0..<4 { keys += keys.flatMap { [$0 + "a", $0 + "b"] } }
        return Array(Set(keys)).filter { !$0.isEmpty }.sorted()
    }()

    static let everything: Set<Thing> = Set(
        rooms.flatMap { room in
            keys.map { .key($0, in: room) } + tags.map { .tag($0, in: room) }
        })

    static func targets() throws -> [Scope.Target] {
        var targets: [Scope.Target] = [.everything]
        for room in rooms {
            targets.append(.namespace(try #require(Namespace(room))))
            targets += try tags.map { try tag($0, in: room) }
            targets += try names.flatMap { [try key($0, in: room), try prefix($0, in: room)] }
        }
        return targets
    }

    /// What an invalidation may be about: a tag may be on any key of its namespace.
    static func covered(by target: Scope.Target) -> Set<Thing> {
        guard case .tag(let tag, let room) = target else { return meant(by: target) }
        return everything.filter {
            switch $0 {
            case .key(_, let namespace): namespace == room.name
            case .tag(let name, let namespace):
                name == tag.description && namespace == room.name
            }
        }
    }

    /// What somebody asks for who names it.
    static func meant(by target: Scope.Target) -> Set<Thing> {
        everything.filter { thing in
            switch (target, thing) {
            case (.everything, _): true
            case (.namespace(let room), .key(_, let namespace)),
                (.namespace(let room), .tag(_, let namespace)):
                namespace == room.name
            case (.key(let key, let room), .key(let name, let namespace)):
                key.description == name && namespace == room.name
            case (.prefix(let bytes, let room), .key(let name, let namespace)):
                name.utf8.starts(with: bytes) && namespace == room.name
            case (.tag(let tag, let room), .tag(let name, let namespace)):
                tag.description == name && namespace == room.name
            case (.key, .tag), (.prefix, .tag), (.tag, .key): false
            }
        }
    }
}
