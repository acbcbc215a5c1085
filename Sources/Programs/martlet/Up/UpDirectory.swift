import ByteCoding
import CacheConfiguration
import CacheModel
import CommandSurface
import EssentialFoundation
import LibC

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

/// `cluster.yaml` in the directory of `up`: written anew at each start, unless it was edited.
/// docs/decisions/0094 gives the reasons.
///
/// Its first line says what `up` wrote: a checksum of the lines after it, and the revision of the
/// configuration that the flags made.
struct UpConfigurationFile {
    /// What to do at a start.
    enum Plan {
        case write
        /// It was edited, and the flags are those that it was written for.
        case keep(ClusterConfiguration)
    }

    private static let mark = "# Written by martlet up, which keeps it once it is edited:"

    let file: URL
    private let directory: String

    init(in directory: URL) {
        file = directory.appendingPathComponent("cluster.yaml")
        self.directory = directory.path
    }

    /// - Parameter wanted: what the flags say, without the publisher's key.
    /// - Throws: ``CommandFailure`` for a file that neither may be replaced nor is what the flags
    ///   say.
    func plan(for wanted: ClusterConfiguration) throws -> Plan {
        guard FileManager.default.fileExists(atPath: file.path) else { return .write }
        let bytes = try ConfigurationReading.bytes(file.path)
        let text = String(decoding: bytes, as: UTF8.self)
        if let written = Written(text) {
            if !written.isEdited { return .write }
            guard written.revision == wanted.revision else {
                throw conflict(
                    "\(file.path) was edited since martlet up wrote it, and for other flags")
            }
            return .keep(try ConfigurationFile.read(file.path))
        }
        do {
            var found = try ConfigurationReading.read(file.path)
            found.publisher.endpoint = String(found.publisher.endpoint.prefix { $0 != "?" })
            let revisions = [wanted.revision, Self.asBefore(wanted).revision]
            if revisions.contains(found.revision) { return .write }
        } catch {
            throw conflict("\(file.path) is not as martlet up wrote it, and cannot be read")
        }
        throw conflict("\(file.path) says something else than the flags")
    }

    /// What a release that wrote no such first line made of the same flags: it had namespaces with
    /// an origin ask that before they served anything in doubt.
    private static func asBefore(_ wanted: ClusterConfiguration) -> ClusterConfiguration {
        var earlier = wanted
        for (namespace, policy) in wanted.namespaces
        where policy.suspect == .serveThenRevalidate {
            earlier.namespaces[namespace]?.suspect = .revalidate
        }
        return earlier
    }

    private func conflict(_ what: String) -> CommandFailure {
        CommandFailure(
            .unusableConfiguration,
            "\(what); it is not overwritten. To run it: martlet up --dir \(directory) --config "
                + "\(file.path); to have it written again, move it away")
    }

    /// - Parameters:
    ///   - configuration: with the publisher's key, if there is one.
    ///   - revision: of what the flags say.
    func write(_ configuration: ClusterConfiguration, revision: UInt32) throws {
        let body = configuration.yamlText()
        let head = "\(Self.mark) \(Self.checksum(body[...])) \(revision)\n"
        try ReplacedFile(file.path, flag: "--dir").write(Data((head + body).utf8))
    }

    private static func checksum(_ text: Substring) -> UInt32 {
        Array(text.utf8).withUnsafeBytes { CRC32C.checksum($0) }
    }

    private struct Written {
        let revision: UInt32
        let isEdited: Bool

        init?(_ text: String) {
            guard text.hasPrefix(UpConfigurationFile.mark),
                let end = text.firstIndex(of: "\n")
            else { return nil }
            let words = text[..<end].dropFirst(UpConfigurationFile.mark.count).split(separator: " ")
            guard words.count == 2, let checksum = UInt32(words[0]),
                let revision = UInt32(words[1])
            else { return nil }
            self.revision = revision
            isEdited = checksum != UpConfigurationFile.checksum(text[text.index(after: end)...])
        }
    }
}
