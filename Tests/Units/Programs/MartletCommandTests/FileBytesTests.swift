import Foundation
import SystemPackage
import Testing

@testable import martlet

@Suite struct FileBytesTests {
    @Test func nothingWithoutAnEndIsReadForEver() throws {
        #expect(try FileBytes.first(200_000, of: "/dev/zero").count == 200_000)
        #expect(try FileBytes.first(10, of: "/dev/null") == [])
    }

    @Test func aShorterFileIsReadToItsEnd() async throws {
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
        let read = try await TraceSample.withFile(bytes) { try FileBytes.first(1 << 20, of: $0) }
        #expect(read == bytes)
    }

    @Test func whatCannotBeReadIsSaidInTheSystemsWords() {
        #expect(throws: Errno.noSuchFileOrDirectory) { try FileBytes.first(1, of: "/no/such") }
        #expect(throws: Errno.isDirectory) { try FileBytes.first(1, of: "/") }
        #expect("\(Errno.isDirectory)" == "Is a directory")
    }

    @Test func theReasonOfAnErrorOfFoundationsIsTheSystems() {
        #expect {
            try Data("a".utf8).write(to: URL(fileURLWithPath: "/no/such/folder/file"))
        } throws: { SystemReason.text($0) == "No such file or directory" }
        #expect(SystemReason.text(POSIXError(.ENOSPC)) == "No space left on device")
        #expect(SystemReason.text(Errno.permissionDenied) == "Permission denied")
    }
}
