import CacheModel
import CommandSurface
import ConsoleCore
import Threading

/// The thread that owns the terminal and the console: reads keys and messages, draws, and writes
/// what the terminal takes.
///
/// One turn waits for a key, a message, a signal, space in the terminal, or the next frame. It
/// never waits for the terminal itself.
final class TopLoop: Sendable {
    private let body: OwnedThread<Result<Void, CommandFailure>>
    private let end: Guarded<Ending>

    private struct Ending: Sendable {
        var outcome: Result<Void, CommandFailure>?
        var waiter: CheckedContinuation<Result<Void, CommandFailure>, Never>?
    }

    /// Takes the terminal over.
    init(
        _ settings: ConsoleSettings, isColoured: Bool, letters: Mailbox<TopLetter>
    ) throws {
        let terminal = try Terminal()
        let end = Guarded(Ending())
        self.end = end
        body = try OwnedThread(name: "console") {
            var turns = TopTurns(settings, isColoured, terminal, letters)
            let outcome = turns.run()
            let waiter = end.withLock { end in
                end.outcome = outcome
                return end.waiter
            }
            waiter?.resume(returning: outcome)
            return outcome
        }
    }

    /// Waits until the user has quit or the terminal is gone; the terminal is restored by then.
    func ending() async -> Result<Void, CommandFailure> {
        await withCheckedContinuation { waiter in
            let outcome = end.withLock { end in
                end.waiter = waiter
                return end.outcome
            }
            if let outcome { waiter.resume(returning: outcome) }
        }
    }
}
