import Foundation
import Testing

@testable import martlet

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// In processes of their own: the signals are real. The tests may have been started with SIGHUP
/// ignored, so each one sets the disposition that it needs.
@Suite struct HangupSignalTests {
    /// Begins a test in its own process, which ends by itself if a signal is never heard.
    private static func begin(isIgnored: Bool = false) {
        signal(SIGHUP, isIgnored ? SIG_IGN : SIG_DFL)
        alarm(30)
    }

    private static func meaning(after raise: () -> Void) async -> HangupSignal.Meaning? {
        let (meanings, continuation) = AsyncStream<HangupSignal.Meaning>.makeStream()
        let signal = await HangupSignal.listen { continuation.yield($0) }
        defer { signal?.cancel() }
        raise()
        return await meanings.first { _ in true }
    }

    @Test(.timeLimit(.minutes(1))) func aHangupSignalRequestsAReload() async {
        await #expect(processExitsWith: .success) {
            Self.begin()
            let meaning = await Self.meaning { kill(getpid(), SIGHUP) }
            guard meaning == .reload, !HangupSignal.isIgnored else { exit(1) }
        }
    }

    @Test(.timeLimit(.minutes(1))) func aProcessThatStartsIsNotEndedAndListensLater() async {
        await #expect(processExitsWith: .success) {
            Self.begin()
            HangupSignal.hold()
            kill(getpid(), SIGHUP)
            HangupSignal.hold()
            guard !HangupSignal.isIgnored else { exit(1) }
            let meaning = await Self.meaning { kill(getpid(), SIGHUP) }
            guard meaning == .reload else { exit(2) }
        }
    }

    #if os(Linux)
        @Test(.timeLimit(.minutes(1))) func theEndOfTheTerminalIsToldFromThat() async {
            await #expect(processExitsWith: .success) {
                Self.begin()
                // A leader of a process group can begin no session: its child can.
                guard let terminal = Self.controllingTerminal() else { exit(2) }
                let meaning = await Self.meaning { close(terminal) }
                guard meaning == .terminalLost else { exit(1) }
            }
        }

        @Test(.timeLimit(.minutes(1))) func aTerminalThatEndsDuringTheStartIsToldLater() async {
            await #expect(processExitsWith: .success) {
                Self.begin()
                guard let terminal = Self.controllingTerminal() else { exit(2) }
                HangupSignal.hold()
                close(terminal)
                let meaning = await Self.meaning {}
                guard meaning == .terminalLost else { exit(1) }
            }
        }

        @Test(.timeLimit(.minutes(1))) func aTerminalIsNotLostForWantOfDescriptors() async {
            await #expect(processExitsWith: .success) {
                Self.begin()
                guard let terminal = Self.controllingTerminal() else { exit(2) }
                let meaning = await Self.meaning {
                    while open("/dev/null", O_RDONLY) >= 0 {}
                    kill(getpid(), SIGHUP)
                }
                close(terminal)
                guard meaning == .reload else { exit(1) }
            }
        }

        /// Gives this process a session with a terminal of its own.
        ///
        /// - Returns: the terminal's other side.
        private static func controllingTerminal() -> CInt? {
            guard setsid() >= 0 || getsid(0) == getpid() else { return nil }
            let other = open("/dev/ptmx", O_RDWR | O_NOCTTY)
            var number: CInt = 0
            // TIOCSPTLCK unlocks the terminal, and TIOCGPTN tells which number it has.
            guard other >= 0, ioctl(other, 0x4004_5431, &number) == 0,
                ioctl(other, 0x8004_5430, &number) == 0
            else { return nil }
            // The first terminal that the leader of a session opens is its own.
            guard open("/dev/pts/\(number)", O_RDWR) >= 0 else { return nil }
            return other
        }
    #endif

    @Test(.timeLimit(.minutes(1))) func underNohupItStaysIgnored() async {
        await #expect(processExitsWith: .success) {
            Self.begin(isIgnored: true)
            let listener = await HangupSignal.listen { _ in }
            HangupSignal.hold()
            guard HangupSignal.isIgnored, listener == nil else { exit(1) }
            try await Interruption.ending { kill(getpid(), SIGHUP) }
            kill(getpid(), SIGHUP)
        }
    }
}
