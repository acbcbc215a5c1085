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
                let mailbox = try Mailbox<ClusterNews>()
                let hasSeen = Guarded(false)
                let scout = TopScout(
                    client: client, interval: settings.interval, patience: patience,
                    endpoints: endpoints
                ) { news in
                    if case .topology = news { hasSeen.withLock { $0 = true } }
                    mailbox.post(news)
                }
                let terminal = try Terminal()
                // Not waited for: what it asks may take its time, and the client's end ends it.
                let looking = Task { await scout.watch(wantsStream: true) }
                let outcome = await blocking("console") {
                    var turns = TopTurns(settings, isColoured, terminal, mailbox)
                    return turns.run()
                }
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
