import AccessControl
import ByteCoding
import CacheAccess
import CacheModel
import Foundation
import MartletClient
import ZeroMQ

/// The keys of a cluster that `up --secure` starts: one for each of its processes, one for an
/// operator and one for a program, and the list that names them.
struct UpKeys: Sendable {
    static let adminName = "admin"
    static let programName = "app"

    let directory: URL
    let listFile: URL
    let publisherKey: PublicKey
    /// Of the one who may do everything, for `up` itself.
    let admin: ClientKeys

    /// Makes the keys that are not there yet; those of an earlier run stay.
    init(in directory: URL, nodes: [NodeID]) throws {
        self.directory = directory.appendingPathComponent("keys")
        listFile = directory.appendingPathComponent("allow-list")
        var list = AllowListFile.heading
        do {
            try FileManager.default.createDirectory(
                at: self.directory, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            publisherKey = try Self.key(of: "publisher", in: self.directory).publicKey
            for node in nodes {
                let pair = try Self.key(of: node.name, in: self.directory)
                list += "\(node.name)  \(pair.publicKey)  node\n"
            }
            let admin = try Self.key(of: Self.adminName, in: self.directory)
            list += "\(Self.adminName)  \(admin.publicKey)  admin\n"
            let program = try Self.key(of: Self.programName, in: self.directory)
            list += "\(Self.programName)  \(program.publicKey)  read,write,invalidate\n"
            self.admin = ClientKeys(admin)
            // What somebody has written into the list of an earlier run is kept.
            if !FileManager.default.fileExists(atPath: listFile.path) {
                try Data(list.utf8).write(to: listFile, options: .atomic)
            }
        } catch let error as KeyFileError {
            throw CommandFailure(.unusableConfiguration, "\(error)")
        } catch {
            throw CommandFailure(
                .unusableConfiguration,
                "\(directory.path): the keys cannot be made: \(error.localizedDescription)")
        }
    }

    func file(of name: String) -> String {
        directory.appendingPathComponent("\(name).key").path
    }

    /// What a child is told.
    func arguments(of name: String) -> [String] {
        ["--key", file(of: name), "--allow-list", listFile.path]
    }

    private static func key(of name: String, in directory: URL) throws -> CurveKeyPair {
        let path = directory.appendingPathComponent("\(name).key").path
        if FileManager.default.fileExists(atPath: path) { return try KeyFile.read(path) }
        let pair = try CurveKeyPair.generate()
        try KeyFile.write(pair, of: name, to: path)
        return pair
    }
}
