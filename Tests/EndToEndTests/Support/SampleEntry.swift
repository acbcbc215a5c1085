import CacheModel
import MartletClient

/// An entry as an application would cache it.
struct SampleEntry: Hashable, Sendable {
    var key: String
    var tags: [String] = []
    /// More bytes behind it.
    var padding = 0

    /// `group-G/K`, a hundred to a group, with ten tags dealt in turn.
    static func many(_ count: Int) -> [SampleEntry] {
        (0..<count).map { SampleEntry(key: "group-\($0 / 100)/\($0)", tags: ["tag-\($0 % 10)"]) }
    }

    var value: [UInt8] {
        Array("the value of \(key)".utf8)
            + (0..<padding).map { UInt8(truncatingIfNeeded: $0 / 251) }
    }

    var loaded: LoadedValue {
        var options = StoreOptions()
        options.tags = tags.map { .named($0) }
        return LoadedValue(value, options: options)
    }
}

extension CacheKey {
    static func named(_ text: String) -> CacheKey {
        guard let key = CacheKey(text) else { preconditionFailure("\(text) is no key") }
        return key
    }
}

extension Tag {
    static func named(_ text: String) -> Tag {
        guard let tag = Tag(text) else { preconditionFailure("\(text) is no tag") }
        return tag
    }
}

extension Namespace {
    static func named(_ text: String) -> Namespace {
        guard let namespace = Namespace(text) else {
            preconditionFailure("\(text) is no namespace")
        }
        return namespace
    }
}
