package import Foundation

/// An empty directory for one test. It is deleted by `remove()`, or with its last reference.
package final class TemporaryDirectory: Sendable {
    package let url: URL

    /// - Parameter topic: part of the directory's name. Short: sockets in it have short paths.
    package init(_ topic: String = "test") throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("martlet-\(topic)-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { remove() }

    /// Calls `body` with a new directory, then deletes the directory.
    package static func with<T>(_ body: (TemporaryDirectory) async throws -> T) async throws -> T {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        return try await body(directory)
    }

    package func remove() {
        guard FileManager.default.fileExists(atPath: path) else { return }
        do {
            try FileManager.default.removeItem(at: url)
        } catch {
            print("\(path) was not deleted: \(error)")
        }
    }

    package var path: String { url.path }

    package func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    package func path(_ name: String) -> String { file(name).path }

    package func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: file(name))) }

    package func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    /// Replaces the file atomically. Creates the directories in which it lies.
    ///
    /// - Returns: the file's path.
    @discardableResult
    package func write(_ data: Data, to name: String, mode: Int = 0o600) throws -> String {
        let file = file(name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file, options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        return file.path
    }

    @discardableResult
    package func write(_ bytes: [UInt8], to name: String, mode: Int = 0o600) throws -> String {
        try write(Data(bytes), to: name, mode: mode)
    }

    @discardableResult
    package func write(_ text: String, to name: String, mode: Int = 0o600) throws -> String {
        try write(Data(text.utf8), to: name, mode: mode)
    }

    package func text(of name: String) throws -> String {
        try String(contentsOf: file(name), encoding: .utf8)
    }

    package func mode(of name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int
    }
}
