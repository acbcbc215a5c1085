import CacheWire
import Testing

/// Numbers inside of golden frames that are set to what the page does not know.
@Suite struct EnumerationTests {
    /// The code that the named golden frame gets with one byte replaced; `nil` if it is read.
    private static func code(
        of name: String, at offset: Int, _ byte: UInt8
    ) throws -> ErrorCode? {
        let golden = try #require(try GoldenFiles.frames().first { $0.name == name })
        var frame = golden.bytes
        frame[offset] = byte
        return frame.withUnsafeBytes { bytes in
            do throws(WireRefusal) {
                _ = try DecodedBody.decode(MessageView(decoding: bytes))
                return nil
            } catch {
                return error.code
            }
        }
    }

    @Test func aReceiptIsCompleteOrNot() throws {
        let name = "RECEIPT with all kinds of nodes"
        for byte in UInt8.min ... .max {
            let code = try Self.code(of: name, at: 24 + 5, byte)
            #expect(code == (byte <= 1 ? nil : .malformed))
        }
    }

    @Test func theNodesOfAReceiptAddUpToItsCount() throws {
        let name = "RECEIPT with all kinds of nodes"
        for count in 0..<9 as Range<UInt8> {
            #expect(try Self.code(of: name, at: 6, count) == (count == 4 ? nil : .malformed))
        }
    }

    @Test func aNodeOfATopologyHasAKnownStateOrNone() throws {
        let endpoints = 2 * (1 + "tcp://127.0.0.1:7400".utf8.count)
        for byte in UInt8.min ... .max {
            let code = try Self.code(
                of: "TOPOLOGY REPORT sharded", at: 24 + 8 + endpoints + 1, byte)
            #expect(code == (byte < 7 || byte == 255 ? nil : .malformed), "state \(byte)")
        }
    }

    @Test func theStateOfAProofIsKnown() throws {
        for byte in UInt8.min ... .max {
            #expect(
                try Self.code(of: "RESULTS HIT", at: 24 + 4, byte) == (byte < 7 ? nil : .malformed))
        }
    }

    @Test func everyStatusOfAResultIsRead() throws {
        for byte in UInt8.min ... .max {
            #expect(try Self.code(of: "RESULTS HIT", at: 24 + 24, byte) == nil)
        }
    }

    @Test(arguments: [
        ("WELCOME", 24 + 8 + 24), ("TRUNCATED", 24 + 8 + 24), ("PING", 24 + 16 + 8),
        ("FLOORS", 24 + 16 + 8), ("FLOOR SNAPSHOT of nothing", 24 + 8 + 24),
    ])
    func aSequenceBeyond48BitsIsRefusedWhereverItStands(name: String, offset: Int) throws {
        for byte in 0..<8 {
            let code = try Self.code(of: name, at: offset + byte, 1)
            #expect(code == (byte < 6 ? nil : .outOfRange), "byte \(byte)")
        }
    }
}
