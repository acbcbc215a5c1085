import AccessControl
import ByteCoding
import CacheAccess
import CacheModel
import CommandSurface
import Foundation
import MartletClient
import Testing
import TestSupport
import ZeroMQ

@testable import martlet

@Suite struct UpKeysTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func keys(_ nodes: String...) throws -> UpKeys {
        try UpKeys(in: folder.url, nodes: nodes.map { try Sample.node($0) })
    }

    private func list() throws -> AccessList {
        try AccessList(parsing: folder.text(of: "allow-list"))
    }

    private func key(_ name: String) throws -> String {
        "\(try KeyFile.read(folder.path("keys/\(name).key")).publicKey)"
    }

    @Test func eachProcessHasAKeyPairAndTheListNamesEveryClient() throws {
        let keys = try keys("n1", "n2")
        #expect(try "\(keys.publisherKey)" == key("publisher"))
        #expect(try "\(keys.admin.pair.publicKey)" == key("admin"))
        let entries = try list().entries
        #expect(entries.map(\.name) == ["n1", "n2", "admin", "app"])
        let rights = entries.map(\.rights.description)
        #expect(rights == ["node", "node", "admin", "read,write,invalidate"])
        for entry in entries { #expect(try "\(entry.key)" == key(entry.name)) }
        #expect(
            keys.arguments(of: "n1") == [
                "--key", folder.path("keys/n1.key"), "--allow-list", folder.path("allow-list"),
                "--audit", folder.path("n1.audit"),
            ])
        let facts = try FileManager.default.attributesOfItem(atPath: folder.path("keys"))
        #expect(facts[.posixPermissions] as? Int == 0o700)
    }

    @Test func keysAndListOfAnEarlierRunStay() throws {
        let first = try keys("n1")
        let text = try folder.text(of: "allow-list")
        let second = try keys("n1")
        #expect(second.publisherKey == first.publisherKey)
        #expect(second.admin.pair.publicKey == first.admin.pair.publicKey)
        #expect(try folder.text(of: "allow-list") == text)
    }

    @Test func aNewNodeIsAddedAndARemovedClientStaysRemoved() throws {
        _ = try keys("n1")
        let lines = try folder.text(of: "allow-list").split(separator: "\n").filter {
            !$0.hasPrefix("app ")
        }
        let kept = lines.joined(separator: "\n") + "\n# mine"
        try folder.write(kept, to: "allow-list")
        _ = try keys("n1", "n2")
        #expect(try folder.text(of: "allow-list") == "\(kept)\nn2  \(key("n2"))  node\n")
    }

    @Test func aNewNodeIsAddedBeforeTheEndLine() throws {
        _ = try keys("n1")
        let text = try folder.text(of: "allow-list")
        let closing = "end\n# mine\n"
        try folder.write(text + closing, to: "allow-list")
        _ = try keys("n1", "n2", "n3")
        let new = try "n2  \(key("n2"))  node\nn3  \(key("n3"))  node\n"
        #expect(try folder.text(of: "allow-list") == text + new + closing)
        #expect(try list().entries.count == 5)
    }

    @Test func aDirectoryThatOthersMayLookIntoIsNotUsed() throws {
        let keys = folder.path("keys")
        try FileManager.default.createDirectory(
            atPath: keys, withIntermediateDirectories: false)
        for mode in [0o755, 0o770, 0o701] as [mode_t] {
            #expect(chmod(keys, mode) == 0)
            let found = try failure { _ = try self.keys("n1") }
            #expect(found?.status == .unusableConfiguration)
            #expect(found?.sentence.hasSuffix("chmod 700 \(keys)") == true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: keys).isEmpty)
        }
        #expect(chmod(keys, 0o700) == 0)
        _ = try self.keys("n1")
    }

    /// Whoever looks at the right moment would have it: it is made so, and not only left so.
    @Test func aTokenIsItsOwnersAloneWhateverElseIsThere() throws {
        try folder.write("old", to: "tokens")
        #expect(chmod(folder.path("tokens"), 0o666) == 0)
        let open = try FileHandle(forReadingFrom: URL(fileURLWithPath: folder.path("tokens")))
        _ = try UpKeys(in: folder.url, nodes: [], hasGateway: true)
        for file in ["tokens", "keys/gateway.token"] {
            #expect(FileFacts(folder.path(file))?.mode == 0o600)
        }
        // Who had the old one open does not see what is in the new one.
        #expect(try open.readToEnd() == Data("old".utf8))
    }

    @Test func aKeyThatOthersMayReadIsNotUsed() throws {
        _ = try keys("n1")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: folder.path("keys/n1.key"))
        let found = try failure { _ = try keys("n1") }
        #expect(found?.status == .unusableConfiguration)
        #expect(found?.sentence.contains("may be read by others (mode 644)") == true)
    }

    @Test func aPlaceThatCannotBeWrittenIsSaid() throws {
        try folder.write("", to: "file")
        let found = try failure {
            _ = try UpKeys(in: folder.url.appendingPathComponent("file"), nodes: [])
        }
        #expect(found?.status == .unusableConfiguration)
        #expect(found?.sentence.contains("the keys cannot be made") == true)
    }
}
