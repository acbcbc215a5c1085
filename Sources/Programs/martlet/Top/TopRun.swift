import CacheModel
import CommandSurface
import ConsoleCore
import MartletClient
import Threading

/// A screen beside a cluster: a thread that owns the terminal, and tasks that ask.
struct TopRun {
    let settings: ConsoleSettings
    let isColoured: Bool

    func run(_ cluster: ClusterOptions, patience: Duration) async throws {
        let endpoints = try cluster.endpoints
        do {
            try await cluster.withClient(for: .waiting) { client in
                let letters = try Mailbox<TopLetter>()
                let hasSeen = Guarded(false)
                let scout = TopScout(
                    client: client, interval: settings.interval, patience: patience,
                    endpoints: endpoints
                ) { news in
                    if case .topology = news { hasSeen.withLock { $0 = true } }
                    letters.post(.news(news))
                }
                let loop = try TopLoop(settings, isColoured: isColoured, letters: letters)
                // Not waited for: what it asks may take its time, and the client's end ends it.
                let looking = Task { await scout.watch(wantsStream: true) }
                let outcome = await loop.ending()
                looking.cancel()
                try outcome.get()
                // There are no nodes to remember, and asking for them would take time.
                if !hasSeen.withLock({ $0 }) { throw CancellationError() }
            }
        } catch is CancellationError {
            return
        }
    }
}

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

/// What reaches the thread that owns the terminal.
enum TopLetter: Sendable {
    case news(ClusterNews)
}
