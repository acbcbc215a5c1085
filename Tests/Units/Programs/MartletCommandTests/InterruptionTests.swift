import CommandSurface
import Foundation
import Testing

@testable import martlet

@Suite struct InterruptionTests {
    /// In processes of their own: the signals are real.
    @Test(.timeLimit(.minutes(1))) func ctrlCEndsTheWorkAndNotTheProcess() async {
        await #expect(processExitsWith: .success) {
            try await Interruption.ending {
                kill(getpid(), SIGINT)
                await endlessWork()
            }
        }
    }

    @Test(.timeLimit(.minutes(1))) func terminationIsTheSame() async {
        await #expect(processExitsWith: .success) {
            try await Interruption.ending {
                kill(getpid(), SIGTERM)
                await endlessWork()
            }
        }
    }

    @Test(.timeLimit(.minutes(1))) func aClosedTerminalIsTheSame() async {
        await #expect(processExitsWith: .success) {
            // The tests may have been started with it ignored.
            signal(SIGHUP, SIG_DFL)
            try await Interruption.ending {
                kill(getpid(), SIGHUP)
                await endlessWork()
            }
        }
    }

    @Test func workThatEndsByItselfIsNotWaitedFor() async throws {
        try await Interruption.ending {}
    }

    @Test func whatTheWorkThrowsIsThrownOn() async {
        await #expect(throws: CommandFailure.self) {
            try await Interruption.ending { throw CommandFailure(.refused, "no") }
        }
    }
}

/// Ends when its task is cancelled.
private func endlessWork() async {
    let (nothing, continuation) = AsyncStream<Void>.makeStream()
    for await _ in nothing {}
    continuation.finish()
}
