import CacheAccess
import Foundation
import Testing
import TestSupport

@testable import AccessControl

@Suite struct ListFileTests {
    private let folder: TemporaryDirectory
    private let file: Eye

    init() throws {
        folder = try TemporaryDirectory()
        file = Eye(folder.path("list"))
    }

    /// A file that is looked at through a reference, as expectations need it.
    private final class Eye {
        private var file: ListFile
        init(_ path: String) { file = ListFile(path) }
        var path: String { file.path }
        var isUnsettled: Bool { file.isUnsettled }
        func read() throws(AccessControlError) -> AccessList? { try file.read() }
        func isNews(_ problem: AccessControlError) -> Bool { file.isNews(problem) }
        func isWellAgain() -> Bool { file.isWellAgain() }
    }

    private func write(_ text: String) throws { try folder.write(text, to: "list") }

    private func problem() -> AccessControlError? {
        do throws(AccessControlError) {
            _ = try file.read()
            return nil
        } catch {
            return error
        }
    }

    private static let one = "a \(Sample.digits(1)) read\n"
    private static let two = one + "b \(Sample.digits(2)) read\n"

    @Test func theFirstReadLoadsTheListAndLaterReadsFindNoChange() throws {
        try write(Self.one)
        #expect(try file.read()?.entries.count == 1)
        for _ in 0..<3 { #expect(try file.read() == nil) }
        // The same text in another file is nothing new, either.
        try write(Self.one)
        #expect(try file.read() == nil)
        #expect(!file.isUnsettled)
    }

    @Test func aChangeIsTakenWhenTwoLooksSeeTheSame() throws {
        try write(Self.one)
        _ = try file.read()
        try write(Self.two)
        #expect(try file.read() == nil && file.isUnsettled)
        #expect(try file.read()?.entries.count == 2)
        #expect(try file.read() == nil && !file.isUnsettled)
    }

    /// A line without its last words says more than the whole one.
    @Test func whatIsBeingWrittenIsNeverTaken() throws {
        try write(Self.one)
        _ = try file.read()
        let whole = "a \(Sample.digits(1)) read sessions,images/thumb: 2027-01-31\n"
        for count in stride(from: 0, to: whole.count, by: 5) {
            try write(String(whole.prefix(count)))
            #expect(try file.read() == nil)
            #expect(!file.isWellAgain())
        }
        try write(whole)
        #expect(try file.read() == nil)
        #expect(try file.read()?.entries.first?.patterns.count == 2)
    }

    /// - Returns: why what is there now is refused; `nil` if it is taken.
    private func refusal(of text: String) throws -> AccessListProblem.Reason? {
        try write(text)
        #expect(try file.read() == nil)
        guard case .wrongList(_, let problem)? = self.problem() else { return nil }
        return problem.reason
    }

    @Test func aListThatWasEmptiedIsRefusedUnlessItSaysSo() throws {
        try write(Self.one)
        _ = try file.read()
        for text in ["", "\n", "# name  public key  roles\n"] {
            #expect(try refusal(of: text) == .emptied, "\(text)")
        }
        try write("none\n")
        #expect(try file.read() == nil)
        #expect(try file.read()?.entries.isEmpty == true)
        // One that is empty may stay so.
        try write("")
        #expect(try file.read() == nil)
        #expect(try file.read()?.entries.isEmpty == true)
    }

    @Test func aListThatEndsInTheMiddleOfALineIsRefused() throws {
        try write(Self.two)
        _ = try file.read()
        let whole = Self.one + "b \(Sample.digits(2)) read sessions,images/thumb: 2027-01-31"
        #expect(try refusal(of: whole) == .unfinished)
        #expect(try refusal(of: String(whole.dropLast(11))) == .unfinished)
        try write(whole + "\n")
        #expect(try file.read() == nil)
        #expect(try file.read()?.entries.count == 2)
    }

    @Test func aListThatWasClosedIsTakenOnlyIfItIsClosed() throws {
        try write(Self.two + "end\n")
        #expect(try file.read()?.entries.count == 2)
        #expect(try refusal(of: Self.one) == .unclosed)
        try write(Self.one + "end\n")
        #expect(try file.read() == nil)
        #expect(try file.read()?.entries.count == 1)
        #expect(try refusal(of: "end\n" + Self.one) == .afterEnd)
    }

    /// As templates and `printf` write it.
    @Test func aWriterThatNeverEndsTheLastLineCanChangeTheList() throws {
        let (one, two) = (String(Self.one.dropLast()), String(Self.two.dropLast()))
        try write(one)
        #expect(try file.read()?.entries.count == 1)
        for (text, count) in [(two, 2), (one, 1), (Self.two, 2)] {
            try write(text)
            #expect(try file.read() == nil)
            #expect(try file.read()?.entries.count == count)
        }
        #expect(try refusal(of: one) == .unfinished, "now there was one")
    }

    @Test func aListThatIsClosedNeedsNoLineBreakAtItsEnd() throws {
        try write(Self.two + "end\n")
        #expect(try file.read()?.entries.count == 2)
        for (text, count) in [(Self.one + "end", 1), (Self.two + "end\n# a", 2)] {
            try write(text)
            #expect(try file.read() == nil)
            #expect(try file.read()?.entries.count == count)
        }
        #expect(try refusal(of: Self.one + "en") == .tooFewWords)
        #expect(try refusal(of: Self.one) == .unclosed)
    }

    @Test func aListWithoutATrailingNewlineIsLoadedAtTheFirstRead() throws {
        try write(String(Self.one.dropLast()))
        #expect(try file.read()?.entries.count == 1)
    }

    @Test func aChangeThatIsTakenBackWasNone() throws {
        try write(Self.one)
        _ = try file.read()
        try write("")
        #expect(try file.read() == nil && file.isUnsettled)
        try write(Self.one)
        #expect(try file.read() == nil && !file.isUnsettled)
    }

    @Test func aWrongListIsNewsOnceAndWellAgainOnce() throws {
        try write(Self.one)
        _ = try file.read()
        try write(Self.one + "half a")
        #expect(problem() == nil)
        let expected = AccessControlError.wrongList(
            path: file.path, AccessListProblem(line: 2, reason: .tooFewWords))
        for count in 0..<3 {
            let found = try #require(problem())
            #expect(found == expected)
            #expect(file.isNews(found) == (count == 0))
            #expect(!file.isUnsettled && !file.isWellAgain())
        }
        try write(Self.one)
        #expect(try file.read() == nil)
        #expect(file.isWellAgain())
        #expect(!file.isWellAgain())
    }

    @Test func whatIsWrongAgainIsNewsAgain() throws {
        try write(Self.one)
        _ = try file.read()
        for text in [Self.two, Self.one] {
            try write("wrong")
            #expect(problem() == nil)
            let found = try #require(problem())
            #expect(file.isNews(found))
            try write(text)
            #expect(problem() == nil)
            #expect(!file.isWellAgain(), "it is another list")
            #expect(try file.read() != nil)
            #expect(!file.isWellAgain(), "that was said with the list")
        }
    }

    @Test func anotherProblemIsNews() throws {
        try write(Self.one)
        _ = try file.read()
        try FileManager.default.removeItem(atPath: file.path)
        let gone = AccessControlError.unreadableList(
            path: file.path, reason: "No such file or directory")
        #expect(problem() == gone)
        #expect(file.isNews(gone) && !file.isNews(gone))
        try write("wrong")
        #expect(problem() == nil)
        let wrong = try #require(problem())
        #expect(file.isNews(wrong) && !file.isNews(wrong) && file.isNews(gone))
        try write(Self.one)
        #expect(try file.read() == nil)
        #expect(file.isWellAgain())
    }

    @Test func aListThatIsTooLongIsNotReadAtAll() throws {
        let most = String(repeating: "#", count: AccessList.bytesMax)
        try write(most)
        #expect(try file.read()?.entries.isEmpty == true)
        try write(most + "#")
        #expect(
            problem()
                == .unreadableList(path: file.path, reason: "it is longer than 4194304 bytes"))
    }

    @Test func whatIsNoTextOrNoFileIsSaid() throws {
        try folder.write(Data([0x61, 0xFF, 0x0A]), to: "list")
        #expect(
            problem()
                == .wrongList(path: file.path, AccessListProblem(line: 0, reason: .notText)))
        for path in [folder.url.path, "/dev/zero"] {
            let file = Eye(path)
            #expect(throws: AccessControlError.unreadableList(path: path, reason: "it is no file"))
            {
                try file.read()
            }
        }
        let pipe = folder.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        let waiting = Eye(pipe)
        #expect(throws: AccessControlError.unreadableList(path: pipe, reason: "it is no file")) {
            try waiting.read()
        }
    }

    @Test func aLinkToAListIsFollowedWhereverItLeads() throws {
        try folder.write(Self.one, to: "first")
        try folder.write(Self.two, to: "second")
        let manager = FileManager.default
        try manager.createSymbolicLink(
            atPath: file.path, withDestinationPath: folder.path("first"))
        #expect(try file.read()?.entries.count == 1)
        try manager.removeItem(atPath: file.path)
        try manager.createSymbolicLink(
            atPath: file.path, withDestinationPath: folder.path("second"))
        #expect(try file.read() == nil)
        #expect(try file.read()?.entries.count == 2)
    }

    private static let endless = "/proc/kallsyms"
    private static var isEndlessThere: Bool {
        let file = FileHandle(forReadingAtPath: endless)
        let bytes = try? file?.read(upToCount: AccessList.bytesMax + 1)
        return bytes.map { $0.count > AccessList.bytesMax } ?? false
    }

    /// What the system says of a file's length may be wrong before it is read, and is where the
    /// file grows.
    @Test(.enabled(if: isEndlessThere)) func noMoreIsReadThanAListMayHave() {
        var file = ListFile(Self.endless)
        #expect(
            throws: AccessControlError.unreadableList(
                path: Self.endless, reason: "it is longer than 4194304 bytes")
        ) { try file.read() }
    }
}
