import Foundation

/// Tests/Conformance/golden: frames that every implementation must agree on.
enum GoldenFiles {
    struct Frame: Decodable {
        let name: String
        let hex: String
        let decoded: JSONValue
        let decodeOnly: Bool?

        var bytes: [UInt8] { Hex.bytes(hex) }
    }

    struct Refused: Decodable {
        let wrong: String
        let hex: String
        let to: String
        let answer: String
        let code: String
    }

    struct Accepted: Decodable {
        let name: String
        let hex: String
        let to: String
        let answer: String
    }

    struct Malformed: Decodable {
        let refused: [Refused]
        let accepted: [Accepted]
    }

    static func frames() throws -> [Frame] { try load("frames.json") }

    static func malformed() throws -> Malformed { try load("malformed.json") }

    private static func load<Content: Decodable>(_ name: String) throws -> Content {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Conformance/golden/\(name)")
        return try JSONDecoder().decode(Content.self, from: Data(contentsOf: file))
    }
}
