import Foundation
import Testing
import TestSupport
import ZeroMQ

@testable import AccessControl

@Suite struct KeyFileTests {
    private let folder: TemporaryDirectory
    private let pair: CurveKeyPair

    init() throws {
        folder = try TemporaryDirectory()
        pair = try CurveKeyPair.generate()
    }

    private func failure(_ path: String) -> KeyFileError? {
        do throws(KeyFileError) {
            _ = try KeyFile.read(path)
            return nil
        } catch {
            return error
        }
    }

    @Test func aPairThatIsWrittenIsReadAndIsItsOwnersAlone() throws {
        let path = folder.path("web.key")
        try KeyFile.write(pair, of: "web", to: path)
        let read = try KeyFile.read(path)
        #expect(read.publicKey == pair.publicKey)
        #expect(read.secretKey.bytes == pair.secretKey.bytes)
        #expect(try folder.mode(of: "web.key") == 0o600)
        let text = try folder.text(of: "web.key")
        #expect(text.hasPrefix("# The key of web. Its holder can act as web: keep it secret.\n"))
        #expect(text.split(separator: "\n").count == 3 && text.hasSuffix("\n"))
    }

    @Test func whatExistsIsNeverOverwritten() throws {
        let path = try folder.write("mine", to: "web.key")
        #expect(throws: KeyFileError.exists(path)) {
            try KeyFile.write(pair, of: "web", to: path)
        }
        #expect(try folder.text(of: "web.key") == "mine")
        // Not even what a link names, there or not.
        let link = folder.path("link")
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: folder.path("nowhere"))
        #expect(throws: KeyFileError.exists(link)) {
            try KeyFile.write(pair, of: "web", to: link)
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path("nowhere")))
    }

    @Test func aPlaceThatCannotBeWrittenIsSaid() throws {
        let path = folder.path("no/such/folder.key")
        #expect(throws: KeyFileError.unwritable(path, reason: "No such file or directory")) {
            try KeyFile.write(pair, of: "web", to: path)
        }
    }

    @Test func everyModeThatLetsOthersInIsRefused() throws {
        try KeyFile.write(pair, of: "web", to: folder.path("web.key"))
        let path = folder.path("web.key")
        for mode in 0..<0o1000 where mode & 0o400 != 0 {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let expected: KeyFileError? =
                mode & 0o077 == 0 ? nil : .readableByOthers(path, mode: UInt32(mode))
            #expect(failure(path) == expected, "\(String(mode, radix: 8))")
        }
    }

    @Test func aKeyOfAnotherUserIsRefusedByRootToo() throws {
        let path = folder.path("web.key")
        try KeyFile.write(pair, of: "web", to: path)
        func failure(owner: UInt32) throws -> KeyFileError? {
            do throws(KeyFileError) {
                _ = try KeyFile.contents(of: path, reader: owner)
                return nil
            } catch {
                return error
            }
        }
        let me = geteuid()
        #expect(try failure(owner: me) == nil)
        if me == 0 {
            // Root's file is anybody's to whom it is handed over.
            #expect(try failure(owner: 7) == nil)
            #expect(chown(path, 4_711, 4_711) == 0)
            #expect(self.failure(path) == .ofAnother(path, owner: 4_711))
            #expect(try failure(owner: 4_711) == nil)
        } else {
            #expect(try failure(owner: 0) == .ofAnother(path, owner: me))
        }
    }

    @Test func whatIsNoFileIsSaid() throws {
        #expect(failure(folder.path("none")) == .missing(folder.path("none")))
        #expect(
            failure(folder.url.path) == .unreadable(folder.url.path, reason: "it is no file"))
        #expect(failure("/dev/null") == .unreadable("/dev/null", reason: "it is no file"))
        let pipe = folder.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(failure(pipe) == .unreadable(pipe, reason: "it is no file"))
        let file = try folder.write("x", to: "file")
        #expect(
            failure(file + "/below") == .unreadable(file + "/below", reason: "Not a directory"))
    }

    @Test func aLinkIsAsGoodAsTheFileThatItNames() throws {
        try KeyFile.write(pair, of: "web", to: folder.path("web.key"))
        let link = folder.path("link")
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: folder.path("web.key"))
        #expect(try KeyFile.read(link).publicKey == pair.publicKey)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: folder.path("web.key"))
        #expect(failure(link) == .readableByOthers(link, mode: 0o644))
    }

    @Test func whatIsNoPairIsRefused() throws {
        let secret = pair.secretText
        let lines = secret.split(separator: "\n").map(String.init)
        let wrong = [
            "", "#\n", lines[0], lines[1], lines[0] + "\n" + lines[0], secret + lines[1],
            secret + "more words here\n", secret.replacingOccurrences(of: "secret", with: "SECRET"),
            String(secret.dropLast(2)), lines[0] + "\n" + lines[1] + "0",
            secret + String(repeating: "#", count: AccessLimits.keyFileBytesMax),
        ]
        for (index, text) in wrong.enumerated() {
            let path = try folder.write(text, to: "wrong\(index)")
            #expect(failure(path) == .malformed(path), "\(index)")
        }
        let noText = try folder.write(Data([0xFF, 0xFE, 0]), to: "binary")
        #expect(failure(noText) == .malformed(noText))
        let other = try CurveKeyPair.generate()
        let mixed = lines[0] + "\n" + other.secretText.split(separator: "\n")[1]
        let path = try folder.write(mixed, to: "mixed")
        #expect(failure(path) == .halvesDiffer(path))
    }

    @Test func commentsSpacesAndForeignLineEndsAreTaken() throws {
        let lines = pair.secretText.split(separator: "\n").map(String.init)
        let text = "\r\n# a\r\n  \(lines[1])  \r\n\r\n\(lines[0].uppercased().lowercased())\r\n"
        let path = try folder.write(text, to: "foreign")
        #expect(try KeyFile.read(path).publicKey == pair.publicKey)
    }

    @Test func noErrorShowsAnythingOfASecret() throws {
        let lines = pair.secretText.split(separator: "\n").map(String.init)
        let secret = String(lines[1].dropFirst("secret-key ".count))
        let other = try CurveKeyPair.generate()
        let texts = [
            lines[1], lines[1] + "\n" + lines[1], pair.secretText + secret, secret,
            "secret-key \(secret)0\n\(lines[0])",
            "public-key \(other.publicKey)\n\(lines[1])", "secret-key public-key \(secret)",
        ]
        for (index, text) in texts.enumerated() {
            let error = try #require(failure(try folder.write(text, to: "secret\(index)")))
            for shown in ["\(error)", String(reflecting: error), "\(error as any Error)"] {
                for start in stride(from: 0, through: 56, by: 4) {
                    #expect(!shown.contains(secret.dropFirst(start).prefix(8)), "\(index)")
                }
            }
        }
    }

    @Test func everyErrorSaysWhatToDo() {
        let errors: [(KeyFileError, String)] = [
            (.missing("p"), "there is no key at p; make one with martlet keygen"),
            (.unreadable("p", reason: "r"), "the key at p cannot be read: r"),
            (.readableByOthers("p", mode: 0o644), "the key at p may be read by others (mode 644)"),
            (.ofAnother("p", owner: 7), "the key at p belongs to another user (7), who may"),
            (.malformed("p"), "p holds no key: a line public-key and a line secret-key are wanted"),
            (.halvesDiffer("p"), "the two lines of p are not halves of one key; make a new one"),
            (.exists("p"), "p exists, and is not overwritten: processes with that key would"),
            (.unwritable("p", reason: "r"), "p cannot be written: r"),
        ]
        for (error, beginning) in errors {
            #expect(error.description.hasPrefix(beginning), "\(error)")
            #expect(!error.description.contains("\n"))
        }
    }
}
