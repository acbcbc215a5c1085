import Foundation
import TestSupport

/// What curl was answered: the last head of what it shows, and the body.
struct CurlAnswer {
    var status: Int
    var version: String
    var fields: [String: String]
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The body, which is a JSON object.
    var json: [String: Any] {
        get throws {
            let value = try JSONSerialization.jsonObject(with: Data(body))
            guard let object = value as? [String: Any] else { throw GaveUp("no object: \(text)") }
            return object
        }
    }

    /// The kind of a problem; `nil` if it is none.
    var problem: String? {
        guard fields["content-type"] == "application/problem+json",
            let type = try? json["type"] as? String
        else { return nil }
        return String(type.trimmingPrefix("urn:martlet:problem:"))
    }

    /// - Parameter input: what curl is given as `@-`.
    static func of(_ arguments: [String], input: [UInt8] = []) async throws -> CurlAnswer {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let sent = directory.file("sent")
        try Data(input).write(to: sent)
        let shown = directory.file("shown")
        let complaints = directory.file("complaints")
        for file in [shown, complaints] { try Data().write(to: file) }
        let curl = Process()
        curl.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        curl.arguments =
            ["curl", "--silent", "--show-error", "--include", "--max-time", "60"] + arguments
        curl.standardInput = try FileHandle(forReadingFrom: sent)
        curl.standardOutput = try FileHandle(forWritingTo: shown)
        curl.standardError = try FileHandle(forWritingTo: complaints)
        try curl.run()
        try await eventually("curl ends", within: .seconds(70)) { !curl.isRunning }
        let output = [UInt8](try Data(contentsOf: shown))
        guard let answer = CurlAnswer(output) else {
            let complaint = String(
                decoding: try Data(contentsOf: complaints), as: UTF8.self)
            throw GaveUp("curl ended with \(curl.terminationStatus): \(complaint)")
        }
        return answer
    }

    /// Reads heads and the body behind the last.
    private init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        var lines: [Substring] = []
        repeat {
            guard rest.starts(with: "HTTP/".utf8),
                let end = rest.firstRange(of: Array("\r\n\r\n".utf8))
            else { return nil }
            lines = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
                .split(separator: "\r\n").map { $0 }
            rest = rest[end.upperBound...]
        } while lines[0].contains(" 100")
        let words = lines[0].split(separator: " ")
        guard words.count > 1, let status = Int(words[1]) else { return nil }
        self.status = status
        version = String(words[0])
        fields = [:]
        for line in lines.dropFirst() {
            let name = line.prefix { $0 != ":" }.lowercased()
            fields[name] = line.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
        }
        body = Array(rest)
    }
}
