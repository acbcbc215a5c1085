import ArgumentParser
import CacheConfiguration
import CommandSurface
import Foundation
import Testing

@testable import martlet

/// Where a role answers over HTTP, by flags, variables and file.
@Suite struct HealthOptionsTests {
    private func plan(
        _ flags: [String], configured: String? = nil, mayBeReached: Bool = false,
        environment: [String: String] = [:]
    ) throws -> HealthOptions.Plan? {
        try HealthOptions.parse(flags).plan(
            try configured.map { try HTTPPlace.parse($0) }, mayBeReached: mayBeReached,
            environment: environment)
    }

    private func refusal(
        _ flags: [String], environment: [String: String] = [:]
    ) -> CommandFailure? {
        do {
            _ = try plan(flags, environment: environment)
            return nil
        } catch {
            return error as? CommandFailure
        }
    }

    @Test func withoutAWordNothingIsAnswered() throws {
        #expect(try plan([]) == nil)
        #expect(try plan(["--http", "none"], configured: "9400") == nil)
        #expect(try plan([], environment: ["MARTLET_HTTP": ""]) == nil)
    }

    @Test func aFlagComesBeforeAVariableAndThatBeforeTheFile() throws {
        let environment = ["MARTLET_HTTP": "9402"]
        let flag = try plan(["--http", "9401"], configured: "9403", environment: environment)
        #expect(flag?.place.port == 9_401)
        #expect(try plan([], configured: "9403", environment: environment)?.place.port == 9_402)
        #expect(try plan([], configured: "9403")?.place.port == 9_403)
    }

    @Test func whatIsNoPlaceIsWrongUsage() {
        let failure = refusal(["--http", "soon"])
        #expect(failure?.status == .wrongUsage && failure?.sentence.hasPrefix("--http: ") == true)
    }

    @Test func whatOthersReachTakesATokenOrAWord() throws {
        let failure = refusal(["--http", "0.0.0.0:9400"])
        #expect(failure?.status == .unusableConfiguration)
        #expect(failure?.sentence.contains("--http-token-file") == true)
        #expect(try plan(["--http", "0.0.0.0:9400"], mayBeReached: true) != nil)
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("0123456789abcdef0123456789abcdef\n".utf8).write(to: file)
        chmod(file.path, 0o640)
        let open = refusal(["--http", "9400", "--http-token-file", file.path])
        #expect(open?.status == .unusableConfiguration)
        #expect(open?.sentence.contains("others may read") == true)
        chmod(file.path, 0o600)
        let guarded = try plan(["--http", "0.0.0.0:9400", "--http-token-file", file.path])
        #expect(guarded?.token != nil)
    }

    @Test func aTokenThatIsNotThereOrNoneIsNamed() throws {
        let absent = refusal(["--http", "9400", "--http-token-file", "/nowhere/token"])
        #expect(absent?.status == .unusableConfiguration)
        #expect(absent?.sentence.contains("/nowhere/token cannot be read") == true)
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        for content in ["short", String(repeating: "x", count: 5_000)] {
            try Data(content.utf8).write(to: file)
            chmod(file.path, 0o600)
            let wrong = refusal(["--http", "9400", "--http-token-file", file.path])
            #expect(wrong?.sentence.contains("16 to 512 visible ASCII") == true)
        }
        #expect(refusal(["--http-token-file", file.path]) != nil)
        try Data("0123456789abcdef".utf8).write(to: file)
        #expect(refusal(["--http-token-file", file.path])?.status == .wrongUsage)
        let place = refusal(["--http", "9400", "--http-token-file", "/"])
        #expect(place?.sentence.contains("is not a file") == true)
    }
}
