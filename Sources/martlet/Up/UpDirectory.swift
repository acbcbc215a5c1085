import CommandSurface

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The directory of `up --secure`. No other user may have put anything there, or be able to: a list
/// of keys that was there before stays in force, and logs are written where they lie.
enum UpDirectory {
    /// Checks a directory, and what `up` would use or write in it if it is there already.
    ///
    /// - Parameters:
    ///   - names: of the children.
    ///   - user: who runs `up`.
    static func check(
        _ directory: URL, names: [String], user: UInt32 = geteuid()
    ) throws(CommandFailure) {
        let facts = FileFacts(directory.path)
        try checkOwner(of: directory.path, facts, user)
        try checkMode(of: directory.path, facts, in: directory)
        // Where others cannot even pass, the modes of files mean nothing to them.
        let isClosed = facts.map { $0.mode & 0o011 == 0 } ?? true
        let own = ["allow-list", "tokens", "cluster.yaml", "log"]
        for name in own + names.flatMap({ ["\($0).log", "\($0).audit", $0] }) {
            let path = directory.appendingPathComponent(name).path
            guard !FileFacts.isLink(path) else {
                throw CommandFailure(
                    .unusableConfiguration,
                    "\(path) is a link, and up --secure follows none in its directory: remove it, "
                        + "or give another --dir")
            }
            let facts = FileFacts(path)
            try checkOwner(of: path, facts, user)
            if !isClosed { try checkMode(of: path, facts, in: directory) }
        }
    }

    private static func checkOwner(
        of path: String, _ facts: FileFacts?, _ user: UInt32
    ) throws(CommandFailure) {
        guard let facts, facts.isForeign(to: user) else { return }
        throw CommandFailure(
            .unusableConfiguration,
            "\(path) belongs to another user (\(facts.owner)), and up --secure would trust it: "
                + "chown it, or give another --dir")
    }

    private static func checkMode(
        of path: String, _ facts: FileFacts?, in directory: URL
    ) throws(CommandFailure) {
        guard let facts, facts.mode & 0o022 != 0 else { return }
        throw CommandFailure(
            .unusableConfiguration,
            "others may write \(path) (mode \(facts.modeText)), and up --secure would trust it: "
                + "see what is in it, then chmod -R go-w \(directory.path)")
    }
}
