import Foundation
import TestSupport

/// The directory of an audit log, deleted with this.
final class AuditDirectory {
    let path: String
    private let directory: TemporaryDirectory?
    private let disk: SmallDisk?

    init() throws {
        let directory = try TemporaryDirectory("audit")
        path = directory.path
        self.directory = directory
        disk = nil
    }

    /// A small file system in memory; `nil`, with the reason printed, where none may be mounted.
    init?(megabytes: Int) throws {
        guard let disk = try SmallDisk.inMemory(megabytes: megabytes) else { return nil }
        path = disk.path
        self.disk = disk
        directory = nil
    }

    var file: String { path + "/audit" }

    func lines(of name: String = "audit") -> [String] {
        guard let data = FileManager.default.contents(atPath: "\(path)/\(name)") else { return [] }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The numbered files, the oldest first, and the one that is written.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path)
            .filter { $0.hasPrefix("audit") && !$0.hasPrefix("audit.admin") }.sorted(by: >)
    }
}
