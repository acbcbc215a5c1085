import CacheAccess
import Foundation
import Testing
import TestSupport

@testable import GatewayServer

@Suite struct TokenStoreTests {
    private static func book(_ text: String, mode: Int = 0o600) throws -> TokenStore {
        try withTemporaryFile(Data(text.utf8), mode: mode) { try TokenStore($0) }
    }

    private static let hash = "\(TokenHash.hash("secret"))"

    @Test func aTokenIsFoundByItsHashAlone() throws {
        let book = try Self.book("web \(Self.hash) read images\n")
        #expect(book.entry(of: "secret")?.name == "web")
        #expect(book.entry(of: "Secret") == nil)
        #expect(book.entry(of: Self.hash) == nil)
        #expect(book.entry(of: String(repeating: "s", count: 5_000)) == nil)
    }

    @Test func aTokenPastItsDateIsNobodys() throws {
        let over = try Self.book("web \(Self.hash) read * 2020-01-01\n")
        #expect(over.entry(of: "secret") == nil)
        let valid = try Self.book("web \(Self.hash) read * 2099-01-01\n")
        #expect(valid.entry(of: "secret") != nil)
    }

    @Test(arguments: [
        ("web HASH node", 0o600, "node"), ("web HASH relay", 0o600, "relay"),
        ("web HASH read * ops=5/s", 0o600, "ops="), ("web HASH read", 0o644, "chmod 600"),
        ("web HASH fly", 0o600, "fly"), ("web abc read", 0o600, "64 hexadecimal"),
    ])
    func aListThatWouldNotMeanWhatItSaysIsRefused(
        text: String, mode: Int, word: String
    ) throws {
        do {
            _ = try Self.book(text.replacing("HASH", with: Self.hash), mode: mode)
            Issue.record("taken")
        } catch let error as GatewayStartError {
            #expect(error.description.contains(word), "\(error)")
        }
    }

    @Test func aListThatOthersMayReadDoesNotComeIntoForce() throws {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("martlet-tokens-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        func write(_ token: String, mode: Int) throws {
            try Data("web \(TokenHash.hash(token)) read\n".utf8).write(to: file, options: .atomic)
            try FileManager.default.setAttributes(
                [.posixPermissions: mode], ofItemAtPath: file.path)
        }
        try write("first", mode: 0o600)
        let book = try TokenStore(file.path)
        let log = LinesLogged()
        try write("second", mode: 0o644)
        for _ in 0..<3 { book.look(log.logger) }
        #expect(book.entry(of: "first") != nil && book.entry(of: "second") == nil)
        #expect(log.lines.filter { $0.contains("chmod 600") }.count == 1, "\(log.lines)")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        for _ in 0..<3 { book.look(log.logger) }
        #expect(book.entry(of: "first") == nil && book.entry(of: "second") != nil)
    }

    /// `chmod` alone, once back and forth.
    @Test(arguments: [("read", 1), ("node", 0)])
    func onlyAListThatIsInForceIsRightAgain(role: String, count: Int) throws {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("martlet-tokens-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        func write(_ role: String) throws {
            try Data("web \(Self.hash) \(role)\n".utf8).write(to: file, options: .atomic)
            chmod(file.path, 0o600)
        }
        try write("read")
        let book = try TokenStore(file.path)
        let log = LinesLogged()
        try write(role)
        for _ in 0..<3 { book.look(log.logger) }
        chmod(file.path, 0o644)
        for _ in 0..<3 { book.look(log.logger) }
        #expect(log.lines.filter { $0.contains("chmod 600") }.count == 1, "\(log.lines)")
        chmod(file.path, 0o600)
        for _ in 0..<3 { book.look(log.logger) }
        #expect(log.lines.filter { $0.contains("right again") }.count == count, "\(log.lines)")
    }

    @Test func aListThatIsNotThereIsNamed() {
        do throws(GatewayStartError) {
            _ = try TokenStore("/nowhere/tokens")
            Issue.record("taken")
        } catch {
            #expect(error.description.contains("/nowhere/tokens"))
        }
    }
}
