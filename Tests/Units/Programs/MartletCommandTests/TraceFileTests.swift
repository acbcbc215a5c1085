import CommandSurface
import Foundation
import Testing

@testable import martlet

@Suite struct TraceFileTests {
    private func contents(of path: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try TraceFile.read(path) { bytes += $0 }
        return bytes
    }

    private func failure(_ path: String) -> String? {
        do {
            _ = try contents(of: path)
            return nil
        } catch {
            return (error as? CommandFailure)?.sentence ?? "\(error)"
        }
    }

    @Test func aPlainFileIsReadAsItIsAndInPieces() async throws {
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for whole in [bytes, [], [0x1F]] {
            let read = try await TraceSample.withFile(whole) { try contents(of: $0) }
            #expect(read == whole)
        }
    }

    @Test func aPackedFileIsKnownByItsBytesAndUnpacked() async throws {
        let packed = try Data(contentsOf: URL(fileURLWithPath: TraceSample.web07))
        let bytes = try await TraceSample.withFile(Array(packed)) { try contents(of: $0) }
        #expect(bytes.count { $0 == 0x0A } == 76_118)
        #expect(String(decoding: bytes.prefix(6), as: UTF8.self) == "0,1,1\n")
    }

    @Test func aTruncatedCompressedFileIsRefused() async throws {
        let packed = try Data(contentsOf: URL(fileURLWithPath: TraceSample.web07))
        let sentence = try await TraceSample.withFile(Array(packed.prefix(90_000))) { failure($0) }
        #expect(sentence?.hasPrefix("cannot unpack ") == true)
        #expect(
            sentence?.hasSuffix(
                ": unexpected end of file; it is cut short or damaged: fetch it again") == true,
            "\(sentence ?? "")")
    }

    @Test func whatStopsReadingStopsUnpacking() {
        struct Enough: Error {}
        #expect(throws: Enough.self) {
            try TraceFile.read(TraceSample.web07) { _ in throw Enough() }
        }
    }

    @Test func whatCannotBeReadIsNamedWithItsReason() {
        #expect(
            failure("/no/such\nfile")
                == #"cannot read /no/such\nfile: No such file or directory; give a file of lines "#
                + "time,key,size, or - for a pipe")
        #expect(failure("/")?.hasPrefix("cannot read /: Is a directory; give a file") == true)
    }
}
