import Storage
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What people are told: what it was, where, and what they can do.
@Suite struct DiskFileErrorTests {
    @Test(arguments: [
        (ENOTDIR, "; a disk tier lies in a directory of its own"),
        (EEXIST, "; a disk tier lies in a directory of its own"),
        (ENOENT, "; create the directory"), (EACCES, "; let the user that runs the node"),
        (EPERM, "; let the user that runs the node"), (EROFS, "; mount that file system"),
        (EMFILE, "; allow the node more open files"), (ENFILE, "; allow the node more open files"),
    ])
    func eachErrorNumberHasItsRemedy(_ code: CInt, _ remedy: String) {
        let said = "\(DiskFileError.call("open", path: "/x/shard-0.tier", code: code))"
        #expect(said.hasPrefix("the system did not open /x/shard-0.tier: \(words(code))"))
        #expect(said.contains(remedy))
    }

    @Test func anErrorWithoutARemedyIsReportedAsIs() {
        #expect(
            "\(DiskFileError.call("map", path: "/x", code: EIO))"
                == "the system did not map /x: Input/output error")
    }

    @Test func eachOtherErrorSaysWhatToDo() {
        let errors: [(DiskFileError, String)] = [
            (.inUse(path: "/x"), "stop that one"),
            (.notAFile(path: "/x"), "remove it"),
            (.noRoom(path: "/x", neededBytes: 5 << 20, missingBytes: 1), "and 1 MiB are missing"),
            (.noRoom(path: "/x", neededBytes: 5 << 20, missingBytes: 0), "needs 5 MiB; make room"),
            (.unfit(path: "/x", lacking: "does not map"), "put the disk tier on a disk of this"),
            (.wrongSize(path: "/x", foundBytes: 1, expectedBytes: 2), "has 1 bytes and not 2"),
            (.unreadable(path: "/x", "Input/output error"), "remove it to begin"),
            (.noThread("none"), "no thread"),
        ]
        for (error, words) in errors { #expect("\(error)".contains(words), "\(error)") }
    }

    private func words(_ code: CInt) -> String {
        strerror(code).map { String(cString: $0) } ?? ""
    }
}
