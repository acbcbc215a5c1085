import Foundation
import SystemPackage
import Testing
import Threading

@testable import martlet

@Suite struct ChildProgramTests {
    /// What a shell prints, and how it ended.
    private func shell(
        _ script: String, environment: [String: String]? = nil, reading input: String? = nil
    ) throws -> (text: String, end: ChildProgram.End) {
        let output = try ChildProgram.pipe()
        let source = try ChildProgram.pipe()
        let program = try ChildProgram(
            "/bin/sh", ["-c", script], environment: environment,
            .init(
                input: input == nil ? nil : source.readEnd, output: output.writeEnd,
                error: output.writeEnd))
        for end in [output.writeEnd, source.readEnd] { end.closeQuietly() }
        if let input { try source.writeEnd.writeAll(input.utf8) }
        source.writeEnd.closeQuietly()
        let file = FileHandle(
            fileDescriptor: output.readEnd.rawValue, closeOnDealloc: true)
        let data = try file.readToEnd() ?? Data()
        return (String(decoding: data, as: UTF8.self), program.waitUntilEnded())
    }

    @Test func itsStreamsAndItsEndAreThoseThatWereGiven() throws {
        let cat = try shell("cat; echo behind >&2; exit 3", reading: "before\n")
        #expect(cat.text == "before\nbehind\n")
        #expect(cat.end == .exited(3))
        #expect(try shell("cat; exit 0").text == "")
        #expect(try shell("kill -TERM $$").end == .signalled(SIGTERM))
    }

    @Test func itHasTheEnvironmentThatWasGivenOrOurs() throws {
        #expect(try shell("echo $ONLY:$HOME", environment: ["ONLY": "this"]).text == "this:\n")
        let ours = ProcessInfo.processInfo.environment["PATH"] ?? ""
        #expect(try shell("echo $PATH").text == ours + "\n")
    }

    @Test func itInheritsNoDescriptorButItsStreams() throws {
        // One that nobody marked as ours alone.
        let open = dup(STDERR_FILENO)
        defer { close(open) }
        try #require(open > 2)
        // The fourth is the folder that is being listed.
        let listed = try shell("ls /proc/self/fd | sort -n | head -n 3 | tr '\\n' ' '")
        #expect(listed.text == "0 1 2 ")
        #expect(try shell("[ -e /proc/self/fd/\(open) ]").end == .exited(1))
    }

    @Test func itLeadsItsOwnGroupAndBlocksNoSignal() throws {
        let group = try shell("ps -o pgid= -p $$ | tr -d ' '; echo $$").text.split(separator: "\n")
        #expect(group.count == 2 && group.first == group.last)
        let masks = try shell("sed -n 's/^Sig[BI][lg][kn]:[^0-9a-f]*//p' /proc/self/status").text
        // The C library keeps 32 and 33 for itself.
        let theirs: UInt64 = 3 << 31
        let others = masks.split(separator: "\n").map { UInt64($0, radix: 16).map { $0 & ~theirs } }
        #expect(others == [0, 0])
    }

    @Test func whatCannotBeStartedIsSaidWithTheSystemsReason() throws {
        let output = try ChildProgram.pipe()
        defer {
            output.readEnd.closeQuietly()
            output.writeEnd.closeQuietly()
        }
        #expect(throws: Errno.noSuchFileOrDirectory) {
            try ChildProgram(
                "/no/such/program", [],
                .init(input: nil, output: output.writeEnd, error: output.writeEnd))
        }
    }

    @Test func everyWaitingThreadGetsTheExitAndLaterSignalsAreDropped() throws {
        let ends = try ChildProgram.pipe()
        let program = try ChildProgram(
            "/bin/sh", ["-c", "read line; exit 7"],
            .init(input: ends.readEnd, output: .standardError, error: .standardError))
        ends.readEnd.closeQuietly()
        let waiting = try (0..<3).map { number in
            try OwnedThread(name: "waits \(number)") { program.waitUntilEnded() }
        }
        #expect(program.isRunning)
        ends.writeEnd.closeQuietly()
        #expect(waiting.map { $0.join() } == Array(repeating: .exited(7), count: 3))
        #expect(!program.isRunning)
        // Its number may be another's by now.
        program.send(SIGKILL)
        #expect(program.waitUntilEnded() == .exited(7))
    }

    @Test func aSignalReachesWhatItHasStartedToo() throws {
        let output = try ChildProgram.pipe()
        let program = try ChildProgram(
            "/bin/sh", ["-c", "sleep 600 & echo started; wait"],
            .init(input: nil, output: output.writeEnd, error: output.writeEnd))
        output.writeEnd.closeQuietly()
        let file = FileHandle(fileDescriptor: output.readEnd.rawValue, closeOnDealloc: true)
        #expect(try file.read(upToCount: 8) == Data("started\n".utf8))
        program.send(SIGTERM)
        #expect(program.waitUntilEnded() == .signalled(SIGTERM))
        // The pipe ends when nobody holds it any more.
        #expect(try file.readToEnd() ?? Data() == Data())
    }

    @Test func aSignalEndsIt() throws {
        let program = try ChildProgram(
            "/bin/sleep", ["600"],
            .init(input: nil, output: .standardError, error: .standardError))
        program.send(SIGTERM)
        #expect(program.waitUntilEnded() == .signalled(SIGTERM))
    }
}
