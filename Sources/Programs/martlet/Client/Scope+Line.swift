import CacheModel
import CommandSurface

extension Scope {
    /// As people read it, on one line: names that are not UTF-8 are told apart.
    var line: String {
        switch target {
        case .key(let key, let namespace): Self.line("key", key.bytes, in: namespace)
        case .tag(let tag, let namespace): Self.line("tag", tag.bytes, in: namespace)
        case .prefix(let prefix, let namespace): Self.line("prefix", prefix, in: namespace)
        case .namespace, .everything: HarmlessText.line(description)
        }
    }

    private static func line(_ kind: String, _ name: [UInt8], in namespace: Namespace) -> String {
        "\(kind) \(HarmlessText.line(name))" + (namespace == .default ? "" : " in \(namespace)")
    }
}
