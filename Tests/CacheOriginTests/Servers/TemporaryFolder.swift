import Foundation

/// A folder of a test's own that goes with it.
struct TemporaryFolder {
    let path: String

    /// Runs `body` with an empty folder and removes it, whatever happens.
    static func with<T>(_ body: (TemporaryFolder) async throws -> T) async throws -> T {
        let name = "martlet-origin-\(UUID().uuidString)"
        let folder = TemporaryFolder(path: NSTemporaryDirectory() + name)
        try FileManager.default.createDirectory(
            atPath: folder.path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        return try await body(folder)
    }

    func write(_ bytes: [UInt8], to name: String) throws {
        let url = URL(fileURLWithPath: path).appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }

    func text(of name: String) -> String? {
        try? String(contentsOfFile: path + "/" + name, encoding: .utf8)
    }
}
