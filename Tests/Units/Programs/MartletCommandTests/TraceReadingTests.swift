import CommandSurface
import Foundation
import Testing
import TestSupport

@testable import martlet

@Suite struct TraceReadingTests {
    private func failure(_ text: String, skipping: Bool = false) async throws -> CommandFailure? {
        try await TraceSample.withFile(Array(text.utf8)) { path in
            do {
                _ = try TraceReading.read(path, skipsMalformed: skipping)
                return nil
            } catch let failure as CommandFailure {
                return CommandFailure(
                    failure.status, failure.sentence.replacing(path, with: "FILE"))
            }
        }
    }

    @Test func aMalformedLineEndsWith65AndNamesItself() async throws {
        #expect(
            try await failure("1,a,1\n1,a,x\n")
                == CommandFailure(
                    .unusableInput,
                    "FILE:2: the size \"x\" is not a whole number from 1 to 4294967295 "
                        + "(--skip-malformed passes over such lines)"))
        #expect(try await failure("1,a,1\n1,a,x\n", skipping: true) == nil)
        #expect(try await failure("1,a,1\nlast")?.sentence.hasPrefix("FILE:2: 1 field") == true)
    }

    /// 150 packed files that chance has damaged or cut: each is read, or refused in one line.
    @Test func noDamageToAPackedFileBreaksReading() async throws {
        var dice = SeededGenerator(seed: 4_712)
        let whole = try #require(Data(base64Encoded: TraceSample.packed))
        var readCount = 0
        for _ in 0..<150 {
            var bytes = Array(whole)
            for _ in 0..<Int.random(in: 0...2, using: &dice) {
                bytes[Int.random(in: 2..<bytes.count, using: &dice)] = .random(
                    in: 0...255, using: &dice)
            }
            if Int.random(in: 0..<4, using: &dice) == 0 {
                bytes.removeLast(Int.random(in: 1...bytes.count - 2, using: &dice))
            }
            try await TraceSample.withFile(bytes) { path in
                do {
                    let trace = try TraceReading.read(path, skipsMalformed: false)
                    // Its checksum holds: nothing but what was packed comes out of it.
                    #expect(trace.requestCount == 40 && trace.keys.count == 7)
                    readCount += 1
                } catch let failure as CommandFailure {
                    #expect(failure.status == .unusableInput)
                    #expect(!failure.sentence.contains("\n"))
                }
            }
        }
        #expect((1..<150).contains(readCount))
    }

    /// A byte in the middle of the packed ones: nonsense comes out, long before the checksum.
    @Test func damageInACompressedFileIsReportedAsTheReason() async throws {
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: TraceSample.web07)))
        bytes[100_000] ^= 0xFF
        let failure = try await TraceSample.withFile(bytes) { path in
            #expect(throws: CommandFailure.self) {
                try TraceReading.read(path, skipsMalformed: false)
            }
        }
        let sentence = failure?.sentence ?? ""
        #expect(sentence.contains("damaged: fetch it again"), "\(sentence)")
    }

    @Test func aTraceWithoutARequestIsNone() async throws {
        for text in ["", "\n\n", "time,key,size\n"] {
            #expect(
                try await failure(text)
                    == CommandFailure(
                        .unusableInput,
                        "FILE holds no request; each line of a trace is time,key,size"))
        }
        #expect(
            try await failure("x\ny\n", skipping: true)?.sentence
                == "FILE holds no request: no line is well-formed, first FILE:1: 1 field, not the "
                + "three of time,key,size")
    }
}
