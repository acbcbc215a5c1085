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

    /// Read once; the files are large.
    private static let loadedFrames = Result { () throws -> [Frame] in try load("frames.json") }
    private static let loadedMalformed = Result { () throws -> Malformed in
        try load("malformed.json")
    }

    static func frames() throws -> [Frame] { try loadedFrames.get() }

    static func malformed() throws -> Malformed { try loadedMalformed.get() }

    private static func load<Content: Decodable>(_ name: String) throws -> Content {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Conformance/golden/\(name)")
        return try JSONDecoder().decode(Content.self, from: Data(contentsOf: file))
    }
}
