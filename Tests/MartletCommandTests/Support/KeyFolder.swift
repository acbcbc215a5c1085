import CommandSurface
import Foundation

@testable import martlet

/// A folder for keys and lists, gone with the test.
final class KeyFolder {
    let url = FileManager.default.temporaryDirectory
        .appendingPathComponent("martlet-keys-\(UUID().uuidString.prefix(8))")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    func text(_ name: String) throws -> String {
        try String(contentsOfFile: path(name), encoding: .utf8)
    }

    func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: url.appendingPathComponent(name))
    }

    func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }
}

/// What a command failed with; `nil` if it did not.
func failure(of body: () throws -> Void) throws -> CommandFailure? {
    do {
        try body()
        return nil
    } catch let failure as CommandFailure {
        return failure
    }
}
