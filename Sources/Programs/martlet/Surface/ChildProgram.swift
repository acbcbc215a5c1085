import CPlatform
import LibC
import SystemPackage
import Threading

/// A program that this one has started, in a process group of its own: Ctrl-C at the terminal ends
/// this program, which then ends the other as it should be ended.
///
/// Every member may be called on any thread. One thread has to wait for its end, so that the system
/// forgets the process.
final class ChildProgram: Sendable {
    enum End: Sendable, Equatable {
        case exited(CInt)
        case signalled(CInt)
    }

    /// What it reads and writes. The descriptors stay the caller's.
    struct Streams {
        /// `nil`: nothing to read.
        let input: FileDescriptor?
        let output: FileDescriptor
        let error: FileDescriptor
    }

    /// The exit code that is told where the system has forgotten it.
    private static let unknownCode: CInt = 255

    let processID: Int32
    private let end = Guarded<End?>(nil)

    /// Starts a program. It gets these three streams and no other descriptor of this process, and
    /// the usual answer to every signal.
    ///
    /// - Parameters:
    ///   - path: of the program; no search.
    ///   - arguments: without the program's own name.
    ///   - environment: all of it; `nil`: as here.
    /// - Throws: `Errno` if it cannot be started.
    init(
        _ path: String, _ arguments: [String], environment: [String: String]? = nil,
        _ streams: Streams
    ) throws(Errno) {
        var started = pid_t()
        let code = Self.withCStrings([path] + arguments) { arguments in
            func start(_ environment: UnsafePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
                martlet_program_start(
                    path, arguments, environment, streams.input?.rawValue ?? -1,
                    streams.output.rawValue, streams.error.rawValue, &started)
            }
            guard let environment else { return start(nil) }
            return Self.withCStrings(environment.map { "\($0.key)=\($0.value)" }) { start($0) }
        }
        guard code == 0 else { throw Errno(rawValue: code) }
        processID = started
    }

    /// Whether it runs, or has ended and no call has waited for that yet.
    var isRunning: Bool { end.withLock { $0 == nil } }

    /// Sends a signal to it and to what it has started, unless it has ended.
    func send(_ number: CInt) {
        // The system gives its number to no other process before the wait, which takes this lock.
        end.withLock { end in
            guard end == nil, kill(-processID, number) != 0 else { return }
            kill(processID, number)
        }
    }

    /// Blocks until it has ended. Any number of threads may wait, at any time.
    @discardableResult
    func waitUntilEnded() -> End {
        while true {
            if let known = end.withLock({ $0 }) { return known }
            var facts = siginfo_t()
            // Without taking the number back, so that no signal goes to another process.
            let code = waitid(P_PID, id_t(processID), &facts, WEXITED | WNOWAIT)
            if code != 0, errno == EINTR { continue }
            end.withLock { if $0 == nil { $0 = takeEnd() } }
        }
    }

    /// - Returns: `nil` if it has not ended, or a signal came in between.
    private func takeEnd() -> End? {
        var status: CInt = 0
        let taken = waitpid(processID, &status, WNOHANG)
        guard taken == processID else {
            // Only where other code of this process waits for every child there is.
            return taken == 0 || errno == EINTR ? nil : .exited(Self.unknownCode)
        }
        // The macros of <sys/wait.h>, which Swift does not see.
        let number = status & 0x7F
        return number == 0 ? .exited((status >> 8) & 0xFF) : .signalled(number)
    }

    /// Starts a program, and opens a pipe with what it writes to its output.
    ///
    /// - Throws: `Errno`; nothing is left behind then.
    static func piped(
        _ path: String, _ arguments: [String], input: FileDescriptor?, error: FileDescriptor
    ) throws(Errno) -> (program: ChildProgram, output: FileDescriptor) {
        let output = try pipe()
        defer { output.writeEnd.closeQuietly() }
        do throws(Errno) {
            let program = try ChildProgram(
                path, arguments, .init(input: input, output: output.writeEnd, error: error))
            return (program, output.readEnd)
        } catch {
            output.readEnd.closeQuietly()
            throw error
        }
    }

    /// A pipe that no other program inherits by accident.
    ///
    /// - Throws: `Errno` where no more can be opened.
    static func pipe() throws(Errno) -> (
        readEnd: FileDescriptor, writeEnd: FileDescriptor
    ) {
        var (readEnd, writeEnd): (CInt, CInt) = (-1, -1)
        let code = martlet_pipe_open(&readEnd, &writeEnd)
        guard code == 0 else { throw Errno(rawValue: code) }
        return (FileDescriptor(rawValue: readEnd), FileDescriptor(rawValue: writeEnd))
    }

    private static func withCStrings<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}

extension FileDescriptor {
    /// Closes what was only read, or will not be written any more. It is closed also where the
    /// system reports an error.
    func closeQuietly() {
        do {
            try close()
        } catch {
            // Nothing is lost by it.
        }
    }
}
