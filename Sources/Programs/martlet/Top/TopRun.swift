import CacheModel
import CommandSurface
import ConsoleCore
import MartletClient
import Threading
import ZeroMQ

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

/// What the thread does that owns the terminal and the console: reads keys and news, draws, and
/// writes what the terminal takes.
///
/// One turn waits for a key, news, a signal, space in the terminal, or the next frame. It never
/// waits for the terminal itself.
struct TopTurns {
    /// How often the screen is drawn while what it begins with comes in.
    private static let firstPace: Duration = .milliseconds(100)
    private static let firstSpan: Duration = .seconds(3)
    private static let inputBytesMax = 4_096

    private let terminal: Terminal
    private let mailbox: Mailbox<ClusterNews>
    private var console: ClusterConsole
    private var outbox: FrameOutbox
    private var decoder = KeyDecoder()
    private var size: ScreenSize
    private let startedAt: Instant
    private var drawnAt: Instant
    private var typedAt: Instant
    private var isDue = true
    /// As of the frame made last.
    private var droppedCount: UInt64 = 0
    private var isOver = false

    init(
        _ settings: ConsoleSettings, _ isColoured: Bool, _ terminal: Terminal,
        _ mailbox: Mailbox<ClusterNews>
    ) {
        let now = MonotonicClock.now
        console = ClusterConsole(settings, now: now)
        outbox = FrameOutbox(isColoured: isColoured)
        self.terminal = terminal
        self.mailbox = mailbox
        size = terminal.size
        startedAt = now
        drawnAt = now
        typedAt = now
    }

    /// Runs until the user quits, or the terminal is gone. The terminal is given back then.
    mutating func run() -> Result<Void, CommandFailure> {
        do throws(CommandFailure) {
            try terminal.enter()
            defer { terminal.leave() }
            while !isOver { turn() }
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    private mutating func turn() {
        let heard = terminal.wait(
            bell: mailbox.wakeup.descriptor, wantsRoom: !outbox.isEmpty, wait(MonotonicClock.now))
        let now = MonotonicClock.now
        for news in mailbox.takeAll(isHeard: heard.contains(.bell)) {
            console.learn(news, now: now)
        }
        for signal in heard.contains(.signal) ? terminal.takeSignals() : [] {
            handle(signal)
        }
        if heard.contains(.key) {
            guard let bytes = terminal.read(Self.inputBytesMax) else {
                isOver = true
                return
            }
            typedAt = now
            for key in decoder.read(bytes) { press(key, now) }
        } else if decoder.isWaiting, now.elapsed(since: typedAt) >= ConsoleLimits.escapePatience {
            for key in decoder.passTime() { press(key, now) }
        }
        console.passTime(now: now)
        let isTime = now.elapsed(since: drawnAt) >= pace(now)
        if isTime || (isDue && outbox.isEmpty) { draw(now) }
        send()
    }

    private mutating func draw(_ now: Instant) {
        if outbox.isEmpty {
            console.isLineSlow = outbox.droppedCount > droppedCount
            droppedCount = outbox.droppedCount
        }
        // One that is dropped is due as soon as there is room.
        isDue = !outbox.isEmpty
        outbox.offer(console.screen(size, now: now))
        drawnAt = now
    }

    private mutating func send() {
        while !outbox.isEmpty {
            switch terminal.write(outbox.rest) {
            case .took(let count): outbox.took(count)
            case .wouldBlock: return
            case .gone:
                isOver = true
                return
            }
        }
    }

    // MARK: Time

    private func pace(_ now: Instant) -> Duration {
        let isYoung = now.elapsed(since: startedAt) < Self.firstSpan
        return isYoung ? Self.firstPace : console.settings.interval
    }

    private func wait(_ now: Instant) -> Duration {
        if isDue, outbox.isEmpty { return .zero }
        let left = pace(now) - now.elapsed(since: drawnAt)
        return decoder.isWaiting ? min(left, ConsoleLimits.escapePatience) : max(left, .zero)
    }

    // MARK: What is asked of it

    private mutating func press(_ key: ConsoleKey, _ now: Instant) {
        switch console.press(key, now: now) {
        case .nothing: break
        case .draw: isDue = true
        case .redraw:
            outbox.forgetsScreen()
            isDue = true
        case .suspend: suspend()
        case .quit: isOver = true
        }
    }

    private mutating func handle(_ signal: TerminalSignal) {
        switch signal {
        case .resized: takeSize()
        case .ended: isOver = true
        case .stopped: suspend()
        case .continued:
            // A signal stopped the process by force: the state it left the terminal in is unknown.
            takeBack()
        }
    }

    private mutating func takeSize() {
        size = terminal.size
        outbox.forgetsScreen()
        isDue = true
    }

    private mutating func suspend() {
        terminal.leave()
        terminal.stop()
        outbox.abandon()
        takeBack()
    }

    /// Takes the terminal again. One that is gone meanwhile is the end: a window that is closed
    /// continues the processes that were stopped in it.
    private mutating func takeBack() {
        do throws(CommandFailure) {
            try terminal.enter()
            takeSize()
        } catch {
            isOver = true
        }
    }
}
