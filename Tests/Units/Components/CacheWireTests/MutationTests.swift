import ByteCoding
import CacheModel
import CacheWire
import Testing
import TestSupport

/// Frames that were damaged by chance, from a seed: decoders refuse, they never trap.
@Suite struct MutationTests {
    private static let interesting: [UInt8] = [0, 1, 2, 7, 0x7F, 0x80, 0xFE, 0xFF]

    /// Between one and four wounds: a bit, a byte, a run of bytes, a hole, a graft.
    private static func wound(
        _ bytes: inout [UInt8], with graft: [UInt8], _ dice: inout SeededGenerator
    ) {
        for _ in 0..<Int.random(in: 1...4, using: &dice) {
            guard !bytes.isEmpty else { return }
            let at = Int.random(in: 0..<bytes.count, using: &dice)
            switch UInt8.random(in: 0..<6, using: &dice) {
            case 0: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &dice)
            case 1: bytes[at] = interesting.randomElement(using: &dice) ?? 0
            case 2:
                let value = interesting.randomElement(using: &dice) ?? 0
                for index in at..<min(at + 4, bytes.count) { bytes[index] = value }
            case 3: bytes.removeSubrange(at..<min(at + 9, bytes.count))
            case 4: bytes.insert(contentsOf: graft.prefix(Int(graft.first ?? 0) % 40), at: at)
            default:
                let from = Int.random(in: 0..<graft.count, using: &dice)
                for index in 0..<min(8, graft.count - from, bytes.count - at) {
                    bytes[at + index] = graft[from + index]
                }
            }
        }
    }

    /// Sets the lengths of the header right, so that the damage reaches the body.
    private static func mend(_ bytes: inout [UInt8]) {
        guard bytes.count >= 24 else { return }
        let fields = min(Int(bytes[18]) | Int(bytes[19]) << 8, bytes.count - 24)
        bytes[18] = UInt8(fields & 0xFF)
        bytes[19] = UInt8(fields >> 8)
        for index in 0..<4 {
            bytes[20 + index] = UInt8(
                truncatingIfNeeded: (bytes.count - 24 - fields) >> (index * 8))
        }
    }

    /// Decodes a frame; if that succeeds, what is written of it must say the same again.
    ///
    /// - Returns: whether it was decoded.
    private static func decodesAlike(_ frame: [UInt8]) -> Bool {
        frame.withUnsafeBytes { bytes in
            guard let message = try? MessageView(decoding: bytes),
                let body = try? DecodedBody.decode(message)
            else { return false }
            guard !body.isRefused else { return true }
            var writer = ByteWriter()
            body.encode(&writer)
            let again = try? DecodedBody.decode(MessageView(decoding: writer.bytes))
            if again?.json != normalised(body.json) {
                Issue.record("\(message.type) is written otherwise than it was read: \(frame)")
            }
            return true
        }
    }

    /// An unknown status is written as a miss by this test.
    private static func normalised(_ json: JSONValue) -> JSONValue {
        guard let results = json["results"] else { return json }
        var json = json
        json["results"] = .list(
            results.list.map { result in
                var result = result
                if case .number(let status) = result["status"] ?? .bool(false),
                    ResultStatus(rawValue: UInt8(status)) == nil
                {
                    result["status"] = .small(ResultStatus.miss.rawValue)
                }
                return result
            })
        return json
    }

    @Test(arguments: 1...4)
    func damagedFramesNeverTrap(seed: UInt64) throws {
        let frames = try GoldenFiles.frames().map(\.bytes).filter { $0.count < 1_000 }
        var dice = SeededGenerator(seed: seed)
        var decoded = 0
        for round in 0..<2_500 {
            var frame = try #require(frames.randomElement(using: &dice))
            Self.wound(&frame, with: try #require(frames.randomElement(using: &dice)), &dice)
            if round % 4 != 0 { Self.mend(&frame) }
            if Self.decodesAlike(frame) { decoded += 1 }
        }
        #expect(decoded > 100, "damage that is always noticed at once tests little")
        #expect(decoded < 2_250, "damage that is never noticed is none")
    }

    @Test func damagedLongFramesNeverTrap() throws {
        let frames = try GoldenFiles.frames().map(\.bytes).filter { $0.count >= 1_000 }
        var dice = SeededGenerator(seed: 5)
        for _ in 0..<300 {
            var frame = try #require(frames.randomElement(using: &dice))
            Self.wound(&frame, with: try #require(frames.randomElement(using: &dice)), &dice)
            Self.mend(&frame)
            _ = Self.decodesAlike(frame)
        }
    }

    /// Hands chance bytes to the decoders of parts, without a frame around them.
    private static func decodeParts(_ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { raw in
            var count = 0
            func attempt(_ decode: (inout ByteReader) throws -> Void) {
                var reader = ByteReader(raw)
                do {
                    try decode(&reader)
                    count += 1
                } catch {}
            }
            attempt { _ in _ = try ResultFields(decoding: raw) }
            attempt { _ in _ = try MessageFields(decoding: raw) }
            attempt { _ = try SealedRecord(decoding: &$0) }
            attempt { _ = try Scope(decoding: &$0) }
            attempt { _ = try Proof(decoding: &$0) }
            attempt { _ = try FillToken(decoding: &$0) }
            attempt { _ = try OperationResult(decoding: &$0) }
            attempt { _ = try GetOperation(decoding: &$0) }
            attempt { reader in
                var tags: [UnsafeRawBufferPointer] = []
                _ = try SetOperation(decoding: &reader, tags: &tags)
            }
            return count
        }
    }

    @Test func chanceBytesNeverTrap() {
        var dice = SeededGenerator(seed: 6)
        var decoded = 0
        for _ in 0..<10_000 {
            let count = Int.random(in: 0...80, using: &dice)
            let isSparse = Bool.random(using: &dice)
            let bytes = dice.bytes(count).map { isSparse && $0 > 40 ? 0 : $0 }
            decoded += Self.decodeParts(bytes)
        }
        #expect(decoded > 1_000)
    }

    @Test func damagedRecordsAndFieldsNeverTrap() throws {
        var dice = SeededGenerator(seed: 7)
        let parts = try GoldenFiles.frames().map { Array($0.bytes.dropFirst(24)) }
            .filter { (32..<600).contains($0.count) }
        for _ in 0..<10_000 {
            var part = try #require(parts.randomElement(using: &dice))
            part = Array(part.dropFirst(Int.random(in: 0..<32, using: &dice)))
            Self.wound(&part, with: try #require(parts.randomElement(using: &dice)), &dice)
            _ = Self.decodeParts(part)
        }
    }
}
