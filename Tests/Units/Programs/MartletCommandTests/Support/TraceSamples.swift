import ArgumentParser
import Foundation
import TestSupport

@testable import martlet

/// Traces, and what a parser makes of them.
enum TraceSample {
    struct Request: Hashable {
        var key: [UInt8]
        var size: UInt32

        init(_ key: String, _ size: UInt32) {
            self.key = Array(key.utf8)
            self.size = size
        }

        init(_ key: [UInt8], _ size: UInt32) {
            self.key = key
            self.size = size
        }

        init(_ line: TraceLine) {
            key = Array(line.key)
            size = line.size
        }
    }

    struct Parsed: Equatable {
        var requests: [Request] = []
        var problem: TraceProblem?
        var lineCount = 0
        var skippedCount = 0
        var firstSkipped: TraceProblem?
    }

    static func parse(_ text: String, skipping: Bool = false) -> Parsed {
        parse([Array(text.utf8)], skipping: skipping)
    }

    /// What `pieces`, one after the other, mean.
    static func parse(_ pieces: [[UInt8]], skipping: Bool = false) -> Parsed {
        var parser = TraceParser(skipsMalformed: skipping)
        var parsed = Parsed()
        do throws(TraceProblem) {
            for piece in pieces {
                try piece.withUnsafeBufferPointer { (bytes) throws(TraceProblem) in
                    try parser.feed(UnsafeRawBufferPointer(bytes)) {
                        parsed.requests.append(Request($0))
                    }
                }
            }
            try parser.finish { parsed.requests.append(Request($0)) }
        } catch {
            parsed.problem = error
        }
        parsed.lineCount = parser.lineCount
        parsed.skippedCount = parser.skippedCount
        parsed.firstSkipped = parser.firstSkipped
        return parsed
    }

    /// The trace that lies with the tests: 76 118 requests for 20 484 keys.
    static let web07 = Repository.file("Tests/Traces/web07.csv.gz").path

    /// 40 requests for 7 keys, as gzip packs them, in base 64.
    static let packed = """
        H4sIAAAAAAAC/zXRu20FMAxD0Z6zOIBJyr+BUmWCt30eDLq71bEk9/b3+/npjeAtNhZ0U00LvulWHXWzmjFujcaJ\
        eXM2HaxQJexYAycUN9hj+fsYg1WBCrdAP66DFc8GR8Ca4Ax5wBVRAvcbb4AnYm2ohyQhhtR3R4X0ghxydKhi0tCI\
        qQnNmD7QemNC+x1wQCekNtxDFmG+I8KKyO9p/cQOV8QyPEJOeL5POfCKaMH7iQM+ITf+AZlTqRvNAQAA
        """

    /// Lends a file with those bytes.
    static func withFile<Result>(
        _ bytes: [UInt8], _ body: (String) async throws -> Result
    ) async throws -> Result {
        try await withTemporaryFile(Data(bytes), body)
    }

    /// What the command that `line` names reports of its one file, without its terminal.
    static func report(_ arguments: [String]) async throws -> TraceReport {
        guard let command = try MartletCommand.parseAsRoot(["trace"] + arguments) as? TraceCommand,
            let file = command.files.first
        else { throw Sample.Unexpected.wasParsed(arguments.joined(separator: " ")) }
        let plan = try command.plan
        let trace = try TraceReading.read(file, skipsMalformed: plan.skipsMalformed)
        return await plan.replay(trace, path: file)
    }
}
