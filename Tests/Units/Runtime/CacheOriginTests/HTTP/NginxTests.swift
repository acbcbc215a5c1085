import CacheLoading
import CacheModel
import CacheOrigin
import Foundation
import Testing
import TestSupport

/// A server that nobody wrote for these tests.
@Suite(
    .enabled("nginx is not installed: ensure_nginx in deploy/lib.sh", Programs.haveNginx),
    .timeLimit(.minutes(3)))
struct NginxTests {
    private static let limit = 16 << 20

    private static func value(_ count: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: UInt64(count))
        var bytes = [UInt8](repeating: 0, count: count)
        for place in stride(from: 0, to: count, by: 101) {
            bytes[place] = UInt8.random(in: 0...255, using: &generator)
        }
        return bytes
    }

    private func with(
        _ files: [String: [UInt8]], _ body: (Nginx, HTTPOrigin) async throws -> Void
    ) async throws {
        try await TemporaryDirectory.with { folder in
            for (name, bytes) in files { try folder.write(bytes, to: "files/" + name) }
            try await Nginx.with(folder) { nginx in
                try await HTTPOrigin.with { origin in try await body(nginx, origin) }
            }
        }
    }

    @Test(arguments: [0, 1, 64 << 10, limit])
    func aFileComesWhole(count: Int) async throws {
        try await with(["f": Self.value(count)]) { nginx, origin in
            for _ in 0..<2 {
                let outcome = await origin.outcome(
                    of: try .test("f", from: nginx.url, valueBytesMax: Self.limit))
                #expect(outcome.reply?.status == 200)
                let isSame = outcome.reply?.body == Self.value(count)
                #expect(isSame)
            }
        }
    }

    @Test func aFilePastTheBoundDoesNot() async throws {
        try await with(["f": Self.value(Self.limit + 1)]) { nginx, origin in
            let before = ContinuousClock.now
            let outcome = await origin.outcome(
                of: try .test(
                    "f", from: nginx.url.replacing("/files/", with: "/slow/"),
                    valueBytesMax: Self.limit))
            #expect(outcome == .failed(.tooLarge))
            // At 64 KiB a second the whole of it would take four minutes.
            #expect(before.duration(to: .now) < .seconds(5))
        }
    }

    @Test(arguments: ["ETag", "Last-Modified"])
    func aFileThatHasNotChangedIsNotSentAgain(name: String) async throws {
        try await with(["f": Self.value(100)]) { nginx, origin in
            let first = await origin.outcome(of: try .test("f", from: nginx.url))
            #expect(first.reply?.status == 200)
            let field = try #require(first.reply?.fields.first { $0.name == name })
            let second = await origin.outcome(
                of: try .test("f", from: nginx.url, validator: field.value))
            #expect(second.reply?.status == 304)
            #expect(second.reply?.body == [])
            try nginx.folder.write(Self.value(101), to: "files/f")
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: 100)],
                ofItemAtPath: nginx.folder.path + "/files/f")
            let third = await origin.outcome(
                of: try .test("f", from: nginx.url, validator: field.value))
            #expect(third.reply?.status == 200)
            #expect(third.reply?.body.count == 101)
        }
    }

    @Test func whatIsNotThereIs404() async throws {
        try await with(["f": Self.value(1)]) { nginx, origin in
            let outcome = await origin.outcome(
                of: try .test("none", from: nginx.url, valueBytesMax: 1))
            #expect(outcome.reply?.status == 404)
            #expect(outcome.reply?.body == [])
        }
    }

    @Test func aRedirectIsNotFollowed() async throws {
        try await with(["small": Self.value(1)]) { nginx, origin in
            let outcome = await origin.outcome(
                of: try .test("f", from: nginx.url.replacing("/files/", with: "/moved/")))
            #expect(outcome.reply?.status == 302)
            #expect(outcome.reply?.fields.contains { $0.name == "Location" } == true)
        }
    }

    @Test func aBusyServersFieldsAreHandedOn() async throws {
        try await with([:]) { nginx, origin in
            let outcome = await origin.outcome(
                of: try .test("f", from: nginx.url.replacing("/files/", with: "/busy/")))
            #expect(outcome.reply?.status == 503)
            let field = outcome.reply?.fields.first { $0.name == "Retry-After" }
            #expect(field?.value == "7")
        }
    }

    @Test func noKeyClimbsOutOfItsFolder() async throws {
        let secret = Array("secret".utf8)
        try await with(["f": Self.value(1), "deep/g": Self.value(2)]) { nginx, origin in
            try nginx.folder.write(secret, to: "secret")
            let keys = [
                "../secret", "..", "deep/../../secret", "./../secret", "..\\secret",
                "%2e%2e/secret",
                "..%2fsecret", "/../secret", "//secret", ".;/../secret", "deep/..;/../secret",
                "x\u{0}/../secret", "f?/../secret", "f#/../secret",
            ]
            for key in keys {
                for placeholder in ["{key}", "{+key}"] {
                    let url = nginx.url.replacing("{+key}", with: placeholder)
                    let outcome = await origin.outcome(of: try .test(key, from: url))
                    #expect(outcome.reply?.body != secret, "\(key)")
                }
            }
            let deep = await origin.outcome(of: try .test("deep/g", from: nginx.url))
            #expect(deep.reply?.body == Self.value(2))
        }
    }

    @Test func aServerThatDiesInTheMiddleIsUnreachableAndComesBack() async throws {
        try await TemporaryDirectory.with { folder in
            try folder.write(Self.value(4 << 20), to: "files/f")
            try await HTTPOrigin.with { origin in
                try await Nginx.with(folder) { first in
                    let request = try OriginRequest.test(
                        "f", from: first.url.replacing("/files/", with: "/slow/"),
                        valueBytesMax: 8 << 20)
                    async let outcome = origin.outcome(of: request)
                    try await Self.untilWriting(first, origin)
                    try await first.kill()
                    let cut = await outcome
                    #expect(cut == .failed(.unreachable))
                    let meanwhile = await origin.outcome(of: request)
                    #expect(meanwhile == .failed(.unreachable))
                }
                try await Nginx.with(folder) { second in
                    let again = await origin.outcome(
                        of: try .test("f", from: second.url, valueBytesMax: 8 << 20))
                    #expect(again.reply?.body.count == 4 << 20)
                }
            }
        }
    }

    /// Returns once the server writes an answer beside the one to this question.
    private static func untilWriting(_ nginx: Nginx, _ origin: HTTPOrigin) async throws {
        while try await status(of: nginx, origin)["Writing"] ?? 0 < 2 { await Task.yield() }
    }

    /// The server's own count of its connections.
    private static func status(
        of nginx: Nginx, _ origin: HTTPOrigin
    ) async throws -> [String: Int] {
        let url = "http://127.0.0.1:\(nginx.port)/connections?{key}"
        let outcome = await origin.outcome(of: try .test("k", from: url))
        let text = String(decoding: try #require(outcome.reply).body, as: UTF8.self)
        let words = text.split { " :\n".contains($0) }.map(String.init)
        var counts: [String: Int] = [:]
        for (name, number) in zip(words, words.dropFirst()) { counts[name] = Int(number) }
        return counts
    }

    @Test func theServerCountsNoMoreConnectionsThanAttempts() async throws {
        try await with(["f": Self.value(1_000)]) { nginx, origin in
            let requests = try (0..<2_000).map { round in
                try OriginRequest.test(
                    "f", from: nginx.url,
                    timeout: round % 10 == 0 ? .microseconds(300) : .seconds(20))
            }
            await withTaskGroup(of: Void.self) { group in
                for (round, request) in requests.enumerated() {
                    if round >= 64 { await group.next() }
                    group.addTask { _ = await origin.outcome(of: request) }
                }
            }
            try await HTTPOrigin.with { other in
                let open = try await Self.status(of: nginx, other)["connections"] ?? 0
                #expect((1...65).contains(open))
                await origin.shutDown()
                while try await Self.status(of: nginx, other)["connections"] ?? 0 > 1 {
                    await Task.yield()
                }
            }
        }
    }
}
