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
    ///   - user: the user that runs `up`.
    static func check(
        _ directory: URL, names: [String], user: UInt32 = geteuid()
    ) throws(CommandFailure) {
        try checkOwner(of: directory.path, FileFacts(directory.path), user)
        closeToGroup(directory.path, user)
        let facts = FileFacts(directory.path)
        try checkMode(of: directory.path, facts)
        // Where others cannot even pass, the modes of files mean nothing to them.
        let isClosed = facts.map { $0.mode & 0o011 == 0 } ?? true
        let own = ["allow-list", "tokens", "cluster.yaml", "log"]
        for name in own + names.flatMap({ ["\($0).log", "\($0).audit"] }) {
            let path = directory.appendingPathComponent(name).path
            guard !FileFacts.isLink(path) else { throw link(path) }
            let facts = FileFacts(path)
            try checkOwner(of: path, facts, user)
            if !isClosed { try checkMode(of: path, facts, remedyFor: directory.path) }
        }
        for name in names {
            let path = directory.appendingPathComponent(name).path
            try checkDisk(path, in: directory, isClosed: isClosed, user)
        }
    }

    /// Checks a node's own directory, with its disk tier. It may lie on another disk, and be a link
    /// to there.
    private static func checkDisk(
        _ path: String, in directory: URL, isClosed: Bool, _ user: UInt32
    ) throws(CommandFailure) {
        let facts = FileFacts(path)
        let isLink = FileFacts.isLink(path)
        guard !isLink || facts?.kind == .directory else { throw link(path) }
        try checkOwner(of: path, facts, user)
        if isLink {
            try checkMode(of: path, facts)
        } else if !isClosed {
            try checkMode(of: path, facts, remedyFor: directory.path)
        }
    }

    /// Takes the group's right to write off a directory of this user's own, where that is all that
    /// is wrong: with a umask of 002 every new directory has it.
    private static func closeToGroup(_ path: String, _ user: UInt32) {
        var facts = stat()
        guard stat(path, &facts) == 0, facts.st_uid == user, facts.st_mode & S_IFMT == S_IFDIR,
            facts.st_mode & 0o022 == 0o020, chmod(path, facts.st_mode & 0o7757) == 0
        else { return }
        UpScreen.say("\(path) was writable for its group and is not any more (chmod g-w)")
    }

    private static func link(_ path: String) -> CommandFailure {
        CommandFailure(
            .unusableConfiguration,
            "\(path) is a link, and of those up --secure follows only one from a node's name to a "
                + "directory: remove it, or give another --dir")
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

    /// - Parameter remedyFor: what to take the right to write off from, with all that is in it;
    ///   `nil`: the path itself.
    private static func checkMode(
        of path: String, _ facts: FileFacts?, remedyFor whole: String? = nil
    ) throws(CommandFailure) {
        guard let facts, facts.mode & 0o022 != 0 else { return }
        throw CommandFailure(
            .unusableConfiguration,
            "others may write \(path) (mode \(facts.modeText)), and up --secure would trust it: "
                + "see what is in it, then chmod -R go-w \(whole ?? path)")
    }
}
