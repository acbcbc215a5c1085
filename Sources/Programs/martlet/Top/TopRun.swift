import ConsoleCore
import MartletClient
import Threading

/// A screen beside a cluster: a thread that owns the terminal, and tasks that ask.
struct TopRun {
    private let settings: ConsoleSettings
    private let isColoured: Bool

    init(_ settings: ConsoleSettings, isColoured: Bool) {
        self.settings = settings
        self.isColoured = isColoured
    }

    /// Runs until the user quits.
    func run(_ cluster: ClusterOptions, patience: Duration) async throws {
        let endpoints = try cluster.endpoints
        do {
            try await cluster.withClient(for: .waiting) { client in
                let letters = try Mailbox<TopLetter>()
                let hasSeen = Guarded(false)
                let scout = TopScout(
                    client, interval: settings.interval, patience: patience,
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
