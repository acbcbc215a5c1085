import CommandSurface
import Foundation
import SystemPackage
import Testing
import TestSupport

@testable import martlet

/// What `up --secure` refuses to trust in its directory.
@Suite struct UpDirectoryTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
        try Self.setMode(0o755, of: folder.url.path)
    }

    private static func setMode(_ mode: Int, of path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    private func refusal(as user: UInt32 = geteuid()) -> CommandFailure? {
        do throws(CommandFailure) {
            try UpDirectory.check(folder.url, names: ["publisher", "n1"], user: user)
            return nil
        } catch {
            return error
        }
    }

    static let files = ["allow-list", "tokens", "cluster.yaml", "n1.log", "n1.audit"]

    @Test func whatAnEarlierRunOfTheSameUserLeftIsTaken() throws {
        #expect(refusal() == nil)
        for name in Self.files {
            try folder.write("x", to: name)
            try Self.setMode(0o644, of: folder.path(name))
        }
        #expect(refusal() == nil)
        try FileManager.default.removeItem(at: folder.url)
        #expect(refusal() == nil)
    }

    @Test(arguments: files + [""])
    func whatAnotherUserOwnsIsRefused(name: String) throws {
        if !name.isEmpty { try folder.write("x", to: name) }
        let path = name.isEmpty ? folder.url.path : folder.path(name)
        // A user other than root cannot change the owner: the check is made as another user then.
        let isRoot = geteuid() == 0
        if isRoot { #expect(chown(path, 4_242, 0) == 0) }
        let failure = try #require(refusal(as: isRoot ? 0 : geteuid() + 1))
        #expect(failure.status == .unusableConfiguration)
        #expect(failure.sentence.contains("belongs to another user"), "\(failure)")
        #expect(failure.sentence.contains("chown"))
    }

    @Test(arguments: files, [0o775, 0o757])
    func whatOthersMayWriteIsRefused(name: String, mode: Int) throws {
        try folder.write("x", to: name)
        try Self.setMode(mode, of: folder.path(name))
        let failure = try #require(refusal())
        #expect(failure.status == .unusableConfiguration)
        #expect(failure.sentence.contains("chmod -R go-w \(folder.url.path)"), "\(failure)")
    }

    @Test(arguments: [0o757, 0o777]) func aDirectoryThatAllMayWriteIsRefused(mode: Int) throws {
        try Self.setMode(mode, of: folder.url.path)
        let failure = try #require(refusal())
        #expect(failure.status == .unusableConfiguration)
        #expect(failure.sentence.contains("chmod -R go-w \(folder.url.path)"), "\(failure)")
        #expect(FileFacts(folder.url.path)?.mode == UInt32(mode))
    }

    @Test func theGroupsRightToWriteIsTakenOffTheUsersOwnDirectory() throws {
        try Self.setMode(0o775, of: folder.url.path)
        // Of another user's, nothing is taken off.
        let isRoot = geteuid() == 0
        if isRoot { #expect(chown(folder.url.path, 4_242, 0) == 0) }
        #expect(refusal(as: isRoot ? 0 : geteuid() + 1) != nil)
        #expect(FileFacts(folder.url.path)?.mode == 0o775)
        if isRoot { #expect(chown(folder.url.path, 0, 0) == 0) }
        #expect(refusal() == nil)
        #expect(FileFacts(folder.url.path)?.mode == 0o755)
    }

    @Test func aNodesDirectoryMayBeALinkToAnother() throws {
        let disk = try TemporaryDirectory()
        defer { disk.remove() }
        try Self.setMode(0o755, of: disk.url.path)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("n1"), withDestinationPath: disk.url.path)
        #expect(refusal() == nil)
        // Where others cannot pass here, they may still be able to there.
        try Self.setMode(0o700, of: folder.url.path)
        try Self.setMode(0o775, of: disk.url.path)
        let failure = try #require(refusal())
        #expect(failure.sentence.contains("chmod -R go-w \(folder.path("n1"))"), "\(failure)")
    }

    @Test func aNodesDirectoryIsNoLinkToAFileOrToNothing() throws {
        try folder.write("x", to: "elsewhere")
        for target in ["elsewhere", "nowhere"] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.path("n1"), withDestinationPath: folder.path(target))
            let failure = try #require(refusal())
            #expect(failure.sentence.contains("is a link"), "\(failure)")
            try FileManager.default.removeItem(atPath: folder.path("n1"))
        }
    }

    @Test func modesOfFilesDoNotMatterWhereOthersCannotPass() throws {
        try folder.write("x", to: "allow-list")
        try Self.setMode(0o664, of: folder.path("allow-list"))
        #expect(refusal() != nil)
        try Self.setMode(0o700, of: folder.url.path)
        #expect(refusal() == nil)
    }

    @Test(arguments: files) func noLinkIsFollowed(name: String) throws {
        try folder.write("x", to: "elsewhere")
        for target in ["elsewhere", "nowhere"] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.path(name), withDestinationPath: folder.path(target))
            let failure = try #require(refusal())
            #expect(failure.sentence.contains("is a link"), "\(failure)")
            try FileManager.default.removeItem(atPath: folder.path(name))
        }
    }

    @Test func withKeysAChildDoesNotWriteItsLogThroughALink() throws {
        try folder.write("kept", to: "elsewhere")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("n1.log"), withDestinationPath: folder.path("elsewhere"))
        let failure = #expect(throws: CommandFailure.self) {
            _ = try ChildProcess(
                name: "n1", .role(["version"]), variables: [:],
                log: ChildLog(
                    file: folder.url.appendingPathComponent("n1.log"), followsLinks: false)
            ) { _ in }
        }
        #expect(failure?.status == .unusableConfiguration)
        #expect(try folder.text(of: "elsewhere") == "kept")
    }

    @Test func withoutKeysALogMayBeALink() throws {
        try folder.write("kept\n", to: "elsewhere")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("n1.log"), withDestinationPath: folder.path("elsewhere"))
        let log = ChildLog(
            file: folder.url.appendingPathComponent("n1.log"), followsLinks: true)
        let output = try log.open()
        try output.writeAll(Array("martlet: more\n".utf8))
        try output.close()
        #expect(try folder.text(of: "elsewhere") == "kept\nmartlet: more\n")
        #expect(log.lastLine == "more")
    }

    @Test func whatAPipeWasToldIsNotWaitedFor() throws {
        #expect(mkfifo(folder.path("n1.log"), 0o600) == 0)
        let log = ChildLog(
            file: folder.url.appendingPathComponent("n1.log"), followsLinks: true)
        #expect(log.lastLine == nil)
    }
}
