import AccessControl
import ArgumentParser
import ByteCoding
import CommandSurface
import Foundation
import Logging
import Testing
import TestSupport
import ZeroMQ

@testable import martlet

/// Who a role is and whom it lets in. Tests are run without the variables that would say so, too.
@Suite struct RoleOptionsTests {
    private let folder: TemporaryDirectory
    private let pair: CurveKeyPair
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    init() throws {
        folder = try TemporaryDirectory()
        pair = try CurveKeyPair.generate()
        try KeyFile.write(pair, of: "web", to: folder.path("web.key"))
    }

    private func options(_ words: String...) throws -> RoleOptions { try RoleOptions.parse(words) }

    private var settings: AccessSettings { AccessSettings(keys: pair, listFile: "/list") }

    private func refusal(
        _ endpoint: String, _ access: AccessSettings?, _ options: RoleOptions? = nil
    ) throws -> CommandFailure? {
        let options = try options ?? self.options()
        return try failure {
            try options.checkExposure(of: Endpoint(endpoint), access, logger: logger)
        }
    }

    /// In so many places the role listens.
    private let one = 1

    @Test func withoutAKeyPairAndAListAccessIsNotChecked() throws {
        #expect(try options().access(listenerCount: one) == nil)
    }

    @Test func aKeyAndAListGoTogether() throws {
        let key = folder.path("web.key")
        let given = try options("--key", key, "--allow-list", "/list")
        let access = try #require(try given.access(listenerCount: one))
        #expect(access.keys.publicKey == pair.publicKey && access.listFile == "/list")
        let alone = try failure { _ = try options("--key", key).access(listenerCount: one) }
        #expect(alone?.status == .wrongUsage)
        #expect(alone?.sentence == "--key needs a list of keys to admit: give --allow-list too")
        let list = try failure {
            _ = try options("--allow-list", "/list").access(listenerCount: one)
        }
        #expect(list?.status == .wrongUsage)
        #expect(list?.sentence.hasPrefix("--allow-list is for a process with a key") == true)
    }

    @Test func aKeyThatCannotBeUsedIsSaid() throws {
        let gone = try failure {
            _ = try options("--key", folder.path("no.key"), "--allow-list", "/l")
                .access(listenerCount: one)
        }
        #expect(gone?.status == .unusableConfiguration)
        #expect(gone?.sentence.hasPrefix("there is no key at \(folder.path("no.key"))") == true)
    }

    @Test func anEndpointNamesTheKeyOfThisProcessOrNone() throws {
        let own = "tcp://127.0.0.1:1?key=\(pair.publicKey)"
        let other = try "tcp://127.0.0.1:1?key=\(CurveKeyPair.generate().publicKey)"
        #expect(try refusal("tcp://127.0.0.1:1", settings) == nil)
        #expect(try refusal(own, settings) == nil)
        let wrong = try refusal(other, settings)
        #expect(wrong?.status == .unusableConfiguration)
        #expect(
            wrong?.sentence == "\(other) names a key, and this process has the key "
                + "\(pair.publicKey.fingerprint)…")
        let none = try refusal(own, nil)
        #expect(
            none?.sentence
                == "\(own) names a key, and this process has none: give --key FILE")
    }

    @Test func beyondThisMachineItTakesAKeyOrAWordForIt() throws {
        for endpoint in ["tcp://0.0.0.0:1", "tcp://*:1", "tcp://10.0.0.1:1", "tcp://[::]:1"] {
            #expect(try refusal(endpoint, settings) == nil)
            #expect(try refusal(endpoint, nil, options("--insecure-bind")) == nil)
            let open = try refusal(endpoint, nil)
            #expect(open?.status == .unusableConfiguration)
            #expect(open?.sentence.contains("give --key and --allow-list") == true)
        }
        #expect(try refusal("tcp://127.0.0.1:1", nil) == nil)
        #expect(try refusal("ipc:///run/x", nil) == nil)
    }
}
