import AccessControl
import ByteCoding
import CacheModel
import CommandSurface
import EssentialFoundation
import LibC
import MartletClient
import SystemPackage
import ZeroMQ

/// The keys of a cluster that `up --secure` starts: one for each of its processes, one for an
/// operator and one for a program, and the list that names them.
struct UpKeys: Sendable {
    static let adminName = "admin"
    static let programName = "app"
    static let rightsOfPrograms = "read,write,invalidate"

    let directory: URL
    let listFile: URL
    let publisherKey: PublicKey
    /// Of the admin, which has all rights; for `up` itself.
    let admin: ClientKeys

    /// Makes the keys that are not there yet; those of an earlier run stay.
    ///
    /// - Parameter hasGateway: whether there is one, which gets a key and asks for a token.
    init(in directory: URL, nodes: [NodeID], hasGateway: Bool = false) throws {
        let folder = directory.appendingPathComponent("keys")
        self.directory = folder
        listFile = directory.appendingPathComponent("allow-list")
        do {
            try FileManager.default.createDirectory(
                at: self.directory, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try Self.checkOwner(of: folder.path)
            publisherKey = try Self.key(of: "publisher", in: self.directory).pair.publicKey
            var lines: [(text: String, isNew: Bool)] = []
            func enrol(_ name: String, _ roles: String) throws -> CurveKeyPair {
                let (pair, isNew) = try Self.key(of: name, in: folder)
                lines.append(("\(name)  \(pair.publicKey)  \(roles)", isNew))
                return pair
            }
            for node in nodes { _ = try enrol(node.name, "node") }
            admin = ClientKeys(try enrol(Self.adminName, "admin"))
            _ = try enrol(Self.programName, Self.rightsOfPrograms)
            if hasGateway {
                _ = try enrol(UpGateway.name, Self.rightsOfPrograms + ",metrics")
                try Self.makeToken(in: folder, list: tokensFile)
            }
            try Self.write(lines, to: listFile)
        } catch let error as KeyFileError {
            throw CommandFailure(.unusableConfiguration, "\(error)")
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure(
                .unusableConfiguration,
                "\(directory.path): the keys cannot be made: \(SystemReason.text(error))")
        }
    }

    func file(of name: String) -> String {
        directory.appendingPathComponent("\(name).key").path
    }

    private func auditFile(of name: String) -> String {
        listFile.deletingLastPathComponent().appendingPathComponent("\(name).audit").path
    }

    private var tokensFile: URL {
        listFile.deletingLastPathComponent().appendingPathComponent("tokens")
    }

    func arguments(of name: String) -> [String] {
        if name == UpGateway.name {
            return ["--key", file(of: name), "--tokens", tokensFile.path]
        }
        return [
            "--key", file(of: name), "--allow-list", listFile.path,
            "--audit", auditFile(of: name),
        ]
    }

    /// Writes a file that is its owner's alone from its first byte on, in the place of another.
    static func write(_ text: String, to file: URL) throws {
        let new = file.appendingPathExtension("new-\(UUID().uuidString)").path
        let handle = try FileDescriptor.open(
            new, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
            permissions: .ownerReadWrite)
        do {
            _ = try handle.closeAfter { try handle.writeAll(text.utf8) }
            guard rename(new, file.path) == 0 else { throw Errno(rawValue: errno) }
        } catch {
            unlink(new)
            throw error
        }
    }

    /// A user that may write into the directory could put keys there; one that was there before may
    /// be another user's.
    private static func checkOwner(of folder: String) throws(CommandFailure) {
        guard let facts = FileFacts(folder) else { return }
        guard facts.owner == geteuid() else {
            throw CommandFailure(
                .unusableConfiguration,
                "\(folder), where the keys go, belongs to another user (\(facts.owner)): chown "
                    + "it, or give another directory")
        }
        guard facts.mode & 0o077 == 0 else {
            throw CommandFailure(
                .unusableConfiguration,
                "others may look into \(folder), where the keys go, or change it (mode "
                    + "\(facts.modeText)): chmod 700 \(folder)")
        }
    }

    /// Edits of the list of an earlier run are kept, and a key that was taken out of it stays out:
    /// lines are added for new keys alone, above the one that closes the list.
    private static func write(_ lines: [(text: String, isNew: Bool)], to file: URL) throws {
        let lock = try FolderLock(
            for: file.resolvingSymlinksInPath(), patience: AllowListFile.patience)
        defer { withExtendedLifetime(lock) {} }
        var text = AllowListFile.heading
        let isThere = FileManager.default.fileExists(atPath: file.path)
        if isThere { text = try String(contentsOf: file, encoding: .utf8) }
        let wanted = lines.filter { $0.isNew || !isThere }
        guard !wanted.isEmpty else { return }
        for line in wanted { text = AllowListFile.text(text, adding: line.text) }
        guard isThere else { return try write(text, to: file) }
        try ReplacedFile(file.path, flag: "--dir").write(Data(text.utf8))
    }

    private static func key(
        of name: String, in directory: URL
    ) throws -> (pair: CurveKeyPair, isNew: Bool) {
        let path = directory.appendingPathComponent("\(name).key").path
        if FileManager.default.fileExists(atPath: path) { return (try KeyFile.read(path), false) }
        let pair = try CurveKeyPair.generate()
        try KeyFile.write(pair, of: name, to: path)
        return (pair, true)
    }
}
