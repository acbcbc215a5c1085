import TestSupport

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
    private static let loadedFrames = Result { () throws -> [Frame] in
        try Repository.golden("frames.json")
    }
    private static let loadedMalformed = Result { () throws -> Malformed in
        try Repository.golden("malformed.json")
    }

    static func frames() throws -> [Frame] { try loadedFrames.get() }

    static func malformed() throws -> Malformed { try loadedMalformed.get() }
}
