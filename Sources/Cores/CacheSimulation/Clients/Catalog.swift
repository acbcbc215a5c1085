import CacheModel

/// The few keys, tags and prefixes that all clients share.
///
/// A set of keys or of tags is a number with a bit for each, so that coverage is a bitwise `and`.
enum Catalog {
    struct Item {
        let namespace: Namespace
        let key: CacheKey
    }

    static let namespaces = [Namespace.default, Namespace("images") ?? .default]
    static let tags = ["news", "sport", "art"].compactMap { Tag($0) }
    static let prefixes = ["a/", "b/"]

    /// Three keys of each prefix in each namespace.
    static let items: [Item] = namespaces.flatMap { namespace in
        prefixes.flatMap { prefix in
            (0..<3).compactMap { number in
                CacheKey("\(prefix)\(number)").map { Item(namespace: namespace, key: $0) }
            }
        }
    }

    static var everyKey: UInt64 { 1 << UInt64(items.count) - 1 }

    /// The keys that satisfy a condition.
    static func keys(where condition: (Item) -> Bool) -> UInt64 {
        items.indices.reduce(0) { condition(items[$1]) ? $0 | 1 << UInt64($1) : $0 }
    }

    /// The index of a key among the items; `nil` if it is not one of them.
    static func index(of key: CacheKey, in namespace: Namespace) -> Int? {
        items.firstIndex { $0.key == key && $0.namespace == namespace }
    }

    /// The keys of a namespace, each with a bit: a tag of that namespace covers only those.
    static func keys(in namespace: Namespace) -> UInt64 {
        keys { $0.namespace == namespace }
    }
}
