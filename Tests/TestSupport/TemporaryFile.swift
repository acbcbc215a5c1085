package import Foundation

/// Calls `body` with the path of a new file, then deletes the file.
package func withTemporaryFile<Result>(
    _ data: Data, mode: Int = 0o600, _ body: (String) throws -> Result
) throws -> Result {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    return try body(directory.write(data, to: "file", mode: mode))
}

/// Calls `body` with the path of a new file, then deletes the file.
package func withTemporaryFile<Result>(
    _ data: Data, mode: Int = 0o600, _ body: (String) async throws -> Result
) async throws -> Result {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    return try await body(directory.write(data, to: "file", mode: mode))
}
