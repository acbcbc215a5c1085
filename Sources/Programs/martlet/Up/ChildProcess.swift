import CommandSurface
import EssentialFoundation
import LibC
import SystemPackage
import Threading

/// The file that a child's output goes to.
struct ChildLog: Sendable {
    let file: URL
    /// Whether it is written where a link leads, as to `/dev/stdout` in a container: not where
    /// another user may have put the link there.
    let followsLinks: Bool

    /// - Throws: `Errno`, or a ``CommandFailure`` that names the link.
    func open() throws -> FileDescriptor {
        var options: FileDescriptor.OpenOptions = [.create, .append, .closeOnExec]
        if !followsLinks { options.insert(.noFollow) }
        do {
            return try FileDescriptor.open(
                file.path, .writeOnly, options: options,
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
        } catch {
            guard !followsLinks, error as? Errno == .tooManySymbolicLinkLevels else { throw error }
            throw CommandFailure(
                .unusableConfiguration,
                "\(file.path) is a link, and with --secure logs are not written through links: "
                    + "remove it, or give another --dir")
        }
    }

    /// The last line, without the program's name, or what etcd has complained of last, before the
    /// lines of its stack; `nil` if there is none. Only of a file: from a pipe or a terminal it
    /// would be waited for.
    var lastLine: String? {
        guard FileFacts(file.path)?.kind == .file,
            let text = FileManager.default.contents(atPath: file.path)
        else { return nil }
        let lines = String(decoding: text.suffix(Self.bytesRead), as: UTF8.self)
            .split(separator: "\n")
        return lines.reversed().lazy.compactMap { UpEtcd.complaint(in: $0) }.first
            ?? lines.last.map { String($0.trimmingPrefix("martlet: ")) }
    }

    /// Several times the stack that etcd writes when it gives up.
    private static let bytesRead = 16_000
}

/// What a child of `up` runs.
enum ChildPart: Sendable {
    /// This program with these arguments.
    case role([String])
    /// Another program, which does not end with its input.
    case other(path: String, [String])
}

/// One child process of `up`.
///
/// The other end of a pipe is only with this process: when it dies, however it dies, a role reads
/// the end of its input and ends itself. Another program is ended by a shell that reads there.
final class ChildProcess: Sendable {
    let name: String
    private let log: ChildLog
    private let program: ChildProgram
    private let guardian: ChildProgram?
    private let input: FileDescriptor

    /// Starts `part`; its output goes to `log`.
    ///
    /// - Parameters:
    ///   - variables: its environment.
    ///   - whenEnded: called once, on some thread, with how it ended.
    /// - Throws: what keeps it from being started; nothing is left behind then but the log.
    init(
        name: String, _ part: ChildPart, variables: [String: String], log: ChildLog,
        whenEnded: @escaping @Sendable (ChildEnd) -> Void
    ) throws {
        self.name = name
        self.log = log
        let output = try log.open()
        defer { output.closeQuietly() }
        let pipe = try ChildProgram.pipe()
        defer { pipe.readEnd.closeQuietly() }
        do {
            (program, guardian) = try Self.start(part, variables, input: pipe.readEnd, output)
        } catch {
            pipe.writeEnd.closeQuietly()
            throw error
        }
        input = pipe.writeEnd
        do throws(ThreadStartError) {
            try watch(whenEnded)
        } catch {
            program.send(SIGKILL)
            Self.end(program, guardian)
            input.closeQuietly()
            throw error
        }
    }

    /// Needs no other program: `PATH` may name no folder that has any.
    private static let guarding = "while read -r _; do :; done; kill -9 \"$0\""

    private static func start(
        _ part: ChildPart, _ variables: [String: String], input: FileDescriptor,
        _ output: FileDescriptor
    ) throws -> (program: ChildProgram, guardian: ChildProgram?) {
        switch part {
        case .role(let arguments):
            let program = try ChildProgram(
                ThisProgram.path, arguments + ["--end-with-input"], environment: variables,
                .init(input: input, output: output, error: output))
            return (program, nil)
        case .other(let path, let arguments):
            let program = try ChildProgram(
                path, arguments, environment: variables,
                .init(input: nil, output: output, error: output))
            do throws(Errno) {
                let guardian = try ChildProgram(
                    "/bin/sh", ["-c", Self.guarding, "\(program.processID)"],
                    .init(input: input, output: output, error: output))
                return (program, guardian)
            } catch {
                program.send(SIGKILL)
                program.waitUntilEnded()
                throw error
            }
        }
    }

    /// Waits for its end, and ends the guardian before its pipe is closed: it must not signal a
    /// number that may be another process's by then.
    @discardableResult
    private static func end(_ program: ChildProgram, _ guardian: ChildProgram?) -> ChildProgram.End
    {
        let end = program.waitUntilEnded()
        guardian?.send(SIGKILL)
        guardian?.waitUntilEnded()
        return end
    }

    private func watch(
        _ whenEnded: @escaping @Sendable (ChildEnd) -> Void
    ) throws(ThreadStartError) {
        _ = try OwnedThread(name: "up \(name)") { [program, guardian, input, name] in
            let end = Self.end(program, guardian)
            input.closeQuietly()
            whenEnded(ChildEnd(name: name, processID: program.processID, how: end))
        }
    }

    var processID: Int32 { program.processID }
    var isRunning: Bool { program.isRunning }

    func signal(_ number: Int32) { program.send(number) }

    var complaint: String? { log.lastLine }
}

/// How a child ended.
struct ChildEnd: Sendable {
    var name: String
    var processID: Int32
    var how: ChildProgram.End

    /// It was drained, or asked to stop, and did.
    var isInOrder: Bool { how == .exited(0) }

    /// With what `up` ends if the child could not start.
    var status: ExitStatus {
        guard case .exited(let code) = how else { return .unusableConfiguration }
        return ExitStatus(rawValue: code) ?? .unusableConfiguration
    }

    var sentence: String {
        let subject = "\(name) (pid \(processID))"
        return switch how {
        case .exited(let code): "\(subject) ended with code \(code)"
        case .signalled(let number): "\(subject) was ended by signal \(number)"
        }
    }
}

/// The file that this process was started from.
enum ThisProgram {
    /// Its path, also where it was found by `PATH`: as it was when it was first asked for. What
    /// lies there later may be another release of it.
    ///
    /// - Throws: ``CommandFailure`` if the system does not tell.
    static var path: String { get throws(CommandFailure) { try found.get() } }

    private static let found: Result<String, CommandFailure> = {
        #if os(Linux)
            do {
                let path = try FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/self/exe")
                return .success(path)
            } catch {
                return .failure(
                    CommandFailure(.refused, "this program cannot find itself: is /proc mounted?"))
            }
        #else
            guard let path = Bundle.main.executablePath else {
                return .failure(CommandFailure(.bug, "this program does not know its own path"))
            }
            return .success(path)
        #endif
    }()
}
