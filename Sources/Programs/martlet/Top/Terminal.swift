import CacheModel
import CommandSurface
import ConsoleCore
import LibC
import SystemPackage

/// The terminal that this process was started on: raw while a screen is shown, and given back as it
/// was on every way out, a trap of this program included.
///
/// It is written to by a description of its own that never blocks: the one that was handed down is
/// shared with the parent process, and stays as it is.
final class Terminal: Sendable {
    struct Heard: OptionSet {
        let rawValue: Int
        static let key = Heard(rawValue: 1)
        static let bell = Heard(rawValue: 2)
        static let signal = Heard(rawValue: 4)
    }

    enum Sent {
        case took(Int)
        case wouldBlock
        /// The terminal is gone.
        case gone
    }

    /// How long giving it back may wait for a terminal that takes nothing.
    private static let leavePatience: Duration = .milliseconds(500)

    private let input: Int32
    private let output: Int32
    private let signals: Int32
    private let saved: termios

    init() throws(CommandFailure) {
        guard let name = ttyname(STDOUT_FILENO) else {
            throw CommandFailure(.wrongUsage, "standard output is no terminal")
        }
        // With piped input there is still a keyboard.
        let keys = isatty(STDIN_FILENO) == 1 ? STDIN_FILENO : open("/dev/tty", O_RDWR | O_CLOEXEC)
        let screen = open(name, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        var saved = termios()
        guard keys >= 0, screen >= 0, tcgetattr(keys, &saved) == 0 else {
            let why = String(cString: strerror(errno))
            throw CommandFailure(
                .refused, "cannot use this terminal: \(why); --once writes it as text")
        }
        guard let signals = TerminalPipe.open() else {
            throw CommandFailure(.refused, "no descriptor is left; see ulimit -n")
        }
        input = keys
        output = screen
        self.signals = signals
        self.saved = saved
    }

    deinit {
        // Not the signals' pipe: its handlers write into it as long as the process lives.
        close(output)
        if input != STDIN_FILENO { close(input) }
    }

    var size: ScreenSize {
        var size = winsize()
        guard ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return ScreenSize(columns: 80, rows: 24)
        }
        return ScreenSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    // MARK: Taking and giving back

    func enter() throws(CommandFailure) {
        var raw = saved
        cfmakeraw(&raw)
        TerminalRites.prepare(output: output, input: input, saved)
        TerminalPipe.listen()
        guard tcsetattr(input, TCSANOW, &raw) == 0 else {
            throw CommandFailure(
                .refused, "cannot use this terminal: \(String(cString: strerror(errno)))")
        }
        send(ScreenPainter.enter)
    }

    func leave() {
        // What was cut off in the middle of a sequence ends with CAN.
        send([0x18] + ScreenPainter.leave)
        // A shell that has taken the terminal meanwhile has it as it wants it.
        if tcgetpgrp(input) == getpgrp() {
            var saved = saved
            tcsetattr(input, TCSANOW, &saved)
        }
        TerminalRites.withdraw()
    }

    func stop() { TerminalPipe.stop() }

    private func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        let start = ContinuousClock.now
        while !rest.isEmpty, ContinuousClock.now - start < Self.leavePatience {
            switch write(rest) {
            case .took(let count): rest = rest.dropFirst(count)
            case .gone: return
            case .wouldBlock:
                var place = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
                _ = poll(&place, 1, 50)
            }
        }
    }

    // MARK: Bytes

    func write(_ bytes: ArraySlice<UInt8>) -> Sent {
        do {
            return .took(
                try bytes.withUnsafeBytes { try FileDescriptor(rawValue: output).write($0) })
        } catch {
            return error as? Errno == .resourceTemporarilyUnavailable ? .wouldBlock : .gone
        }
    }

    /// What was typed; `nil` if the input has ended.
    func read(_ bytesMax: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: bytesMax)
        do {
            let count = try bytes.withUnsafeMutableBytes {
                try FileDescriptor(rawValue: input).read(into: $0, retryOnInterrupt: false)
            }
            return count > 0 ? Array(bytes[..<count]) : nil
        } catch {
            let waits: [Errno] = [.interrupted, .resourceTemporarilyUnavailable]
            return (error as? Errno).map(waits.contains) ?? false ? [] : nil
        }
    }

    func takeSignals() -> [TerminalSignal] { TerminalPipe.take(signals) }

    // MARK: Waiting

    func wait(bell: Int32, wantsRoom: Bool, _ duration: Duration) -> Heard {
        var places = [
            pollfd(fd: input, events: Int16(POLLIN), revents: 0),
            pollfd(fd: bell, events: Int16(POLLIN), revents: 0),
            pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wantsRoom ? output : -1, events: Int16(POLLOUT), revents: 0),
        ]
        // Rounded up: a wait that is cut short would come back for nothing.
        let milliseconds = (duration.wholeNanoseconds + 999_999) / 1_000_000
        _ = poll(&places, nfds_t(places.count), Int32(clamping: milliseconds))
        var heard: Heard = []
        if places[0].revents != 0 { heard.insert(.key) }
        if places[1].revents != 0 { heard.insert(.bell) }
        if places[2].revents != 0 { heard.insert(.signal) }
        return heard
    }
}

/// What the system tells a program that owns a terminal.
enum TerminalSignal: Hashable {
    case resized
    /// It is asked to end.
    case ended
    /// It is asked to stand aside.
    case stopped
    /// It was stopped, and goes on.
    case continued
}

/// What is done for the terminal when this program traps: it would be left raw, without a cursor.
///
/// One for the process. The handlers do what a handler may: write, tcsetattr, and raise again, so
/// that the end is told as it would have been.
enum TerminalRites {
    private static let numbers = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGSEGV, SIGFPE]

    // Read by a handler on whichever thread traps. Each of these is filled before the handlers are
    // there and only read after it: unchecked for that reason.

    /// As the terminal was. Unchecked, see above.
    nonisolated(unsafe) private static let saved = UnsafeMutablePointer<termios>.allocate(
        capacity: 1)
    /// What gives the screen back. Unchecked, see above.
    nonisolated(unsafe) private static let bytes = UnsafeMutablePointer<UInt8>.allocate(
        capacity: ScreenPainter.leave.count)
    /// Where to. Unchecked, see above.
    nonisolated(unsafe) private static var places: (output: Int32, input: Int32) = (-1, -1)
    /// Of ``bytes``. Unchecked, see above.
    nonisolated(unsafe) private static var count = 0

    static func prepare(output: Int32, input: Int32, _ attributes: termios) {
        saved.initialize(to: attributes)
        let leave = ScreenPainter.leave
        for (index, byte) in leave.enumerated() { (bytes + index).initialize(to: byte) }
        places = (output, input)
        count = leave.count
        for number in numbers {
            signal(number) { number in
                signal(number, SIG_DFL)
                _ = write(TerminalRites.places.output, TerminalRites.bytes, TerminalRites.count)
                tcsetattr(TerminalRites.places.input, TCSANOW, TerminalRites.saved)
                raise(number)
            }
        }
    }

    static func withdraw() { numbers.forEach { signal($0, SIG_DFL) } }
}
