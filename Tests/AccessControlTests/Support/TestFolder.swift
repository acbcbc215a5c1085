import Foundation

/// A folder of a test's own, gone with it.
final class TestFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("access-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// Puts a whole file in the place of the old one.
    @discardableResult
    func write(_ text: String, to name: String, mode: Int = 0o600) throws -> String {
        try write(Data(text.utf8), to: name, mode: mode)
    }

    @discardableResult
    func write(_ data: Data, to name: String, mode: Int = 0o600) throws -> String {
        try data.write(to: url.appendingPathComponent(name), options: .atomic)
        try FileManager.default.setAttributes(
            [.posixPermissions: mode], ofItemAtPath: path(name))
        return path(name)
    }

    func text(of name: String) throws -> String {
        try String(contentsOfFile: path(name), encoding: .utf8)
    }

    func mode(of name: String) throws -> Int? {
        let facts = try FileManager.default.attributesOfItem(atPath: path(name))
        return facts[.posixPermissions] as? Int
    }
}
