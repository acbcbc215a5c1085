package import Foundation

/// The files of the repository, which tests compare with the code.
package enum Repository {
    package static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// - Parameter path: relative to the root.
    package static func file(_ path: String) -> URL { root.appending(path: path) }

    package static func text(of path: String) throws -> String {
        try String(contentsOf: file(path), encoding: .utf8)
    }

    /// Decodes a file of `Tests/Conformance/golden`: values that all implementations share.
    package static func golden<Content: Decodable>(_ name: String) throws -> Content {
        let data = try Data(contentsOf: file("Tests/Conformance/golden/\(name)"))
        return try JSONDecoder().decode(Content.self, from: data)
    }
}
