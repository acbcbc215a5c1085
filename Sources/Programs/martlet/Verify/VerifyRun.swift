import CacheModel
import CacheVerification
import CommandSurface
import MartletClient
import Threading

/// Everything that `verify` does at once, until its time is over, an answer is wrong, or its task
/// is cancelled.
struct VerifyRun {
    let client: CacheClient
    let state: VerifyState
    /// For each answer of a node.
    var patience: Duration = .seconds(5)
    /// `nil`: no end.
    var span: Duration?
    /// Whether a wrong answer ends it.
    var endsAtOnce = true
    var metrics: MetricsFile?
    /// Whether nothing is said on the way.
    var isQuiet = false

    private static let pause: Duration = .milliseconds(50)
    private static let metricsPause: Duration = .seconds(5)
    private static let learningPause: Duration = .seconds(60)
    /// Keys that one scan learns.
    private static let learnedMax = 256
    /// Receipts that are waited for at a time.
    private static let receiptsMax = 64

    init(client: CacheClient, state: VerifyState) {
        self.client = client
        self.state = state
    }

    /// - Throws: ``CacheError`` if the cluster cannot be reached at the start.
    func carryOut() async throws {
        let events = try await client.invalidations()
        _ = try await client.cluster.topology(isRefreshed: true)
        let run = self
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await run.follow(events) }
            group.addTask { await run.look() }
            group.addTask { await run.learn() }
            if await state.compares { group.addTask { await run.compare() } }
            group.addTask { await run.tell() }
            if let span { group.addTask { await Self.sleep(span) } }
            if endsAtOnce { group.addTask { await run.awaitWrongAnswer() } }
            // Whichever ends first; no task ends before all are told to.
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private static func sleep(_ duration: Duration) async {
        do {
            try await Task.sleep(for: duration)
        } catch {
            // It was told to end.
        }
    }

    // MARK: The log

    private func follow(_ events: InvalidationStream) async {
        await withDiscardingTaskGroup { group in
            let gate = PlaceCount(Self.receiptsMax)
            for await event in events {
                guard let (position, samples) = await state.heard(event),
                    await gate.claim()
                else { continue }
                group.addTask {
                    await askForReceipt(of: position, samples)
                    await gate.release()
                }
            }
            group.cancelAll()
        }
    }

    private func askForReceipt(of position: LogPosition, _ samples: [SampleID]) async {
        do throws(CacheError) {
            let receipt = try await client.receipt(of: position, wait: .all, timeout: patience)
            // One that no node has applied can be lost with its publisher, and promises nothing.
            let isComplete = receipt.isComplete && !receipt.applied.isEmpty
            await state.receipt(of: samples, isComplete: isComplete)
        } catch {
            // Without a receipt the lease is what is promised.
        }
    }

    // MARK: Looking

    private func look() async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                for look in await state.takeDue() { group.addTask { await carryOut(look) } }
                await Self.sleep(Self.pause)
            }
            group.cancelAll()
        }
    }

    private func carryOut(_ look: NodeLook) async {
        var next: NodeLook? = look
        while let look = next, !Task.isCancelled {
            let askedAt = MonotonicClock.now
            let answers = await NodeQuestion(client: client, key: look.key, patience: patience)
                .answers()
            // Answers that were cut short are none.
            guard !Task.isCancelled else { return }
            next = await state.answered(look, answers, askedAt: askedAt)
        }
    }

    private func awaitWrongAnswer() async {
        while !Task.isCancelled, await !state.hasWrongAnswer { await Self.sleep(Self.pause) }
    }

    // MARK: Comparing

    private func compare() async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                while let look = await state.takeDueComparison() {
                    group.addTask { await carryOut(look) }
                }
                await Self.sleep(Self.pause)
            }
            group.cancelAll()
        }
    }

    private func carryOut(_ look: OriginLook) async {
        let (node, answer) = await ComparisonRequest(client: client, look: look, patience: patience)
            .answer()
        // Answers that were cut short are none.
        guard !Task.isCancelled else { return }
        await state.compared(look, by: node, answer)
    }

    // MARK: Learning

    /// Scans for keys now and then, so that wide invalidations find some to look at.
    private func learn() async {
        while !Task.isCancelled {
            do throws(CacheError) {
                try await learnOnce()
            } catch {
                // Nothing is learned from a cluster that does not answer.
            }
            await Self.sleep(Self.learningPause)
        }
    }

    private func learnOnce() async throws(CacheError) {
        for namespace in await state.scannedNamespaces { try await learn(in: namespace) }
    }

    private func learn(in namespace: Namespace) async throws(CacheError) {
        var count = 0
        var entries = client.cluster.scan(.namespace(namespace)).makeAsyncIterator()
        while count < Self.learnedMax, !Task.isCancelled, let entry = try await entries.next() {
            count += 1
            let found = try await client.cluster.explain(entry.key, in: namespace, on: entry.node)
            await state.learn(
                WatchedKey(entry.key, in: namespace), tags: found.entry?.tags ?? [])
        }
    }

    // MARK: Telling

    private func tell() async {
        let screen = VerifyScreen(line: WaitingLine(isQuiet: isQuiet))
        defer { screen.finish() }
        var writtenAt: Instant?
        var hasComplained = false
        while !Task.isCancelled {
            screen.show(await state.report)
            let now = MonotonicClock.now
            if let metrics, writtenAt.map({ now.elapsed(since: $0) >= Self.metricsPause }) ?? true {
                writtenAt = now
                do throws(CommandFailure) {
                    try metrics.write(await state.report)
                } catch {
                    // A failure to write metrics is told once and ends nothing.
                    if !hasComplained { Console.complain(error.sentence) }
                    hasComplained = true
                }
            }
            await Self.sleep(VerifyScreen.pause)
        }
    }
}

/// So many may do something at a time; the rest goes without.
actor PlaceCount {
    private var freeCount: Int

    init(_ count: Int) {
        freeCount = count
    }

    /// - Returns: whether there was a place; it has to be released.
    func claim() -> Bool {
        guard freeCount > 0 else { return false }
        freeCount -= 1
        return true
    }

    func release() { freeCount += 1 }
}

/// How far a check is: one line on standard error that changes, if that is a terminal.
struct VerifyScreen {
    static let pause: Duration = .milliseconds(250)

    let line: WaitingLine

    func show(_ report: VerifyReport) { line.show(Self.text(report)) }

    /// `12s · 340 records · 100 sampled, 12 open · 1s >2.5 · 10s >2.4 · 1m –`.
    static func text(_ report: VerifyReport) -> String {
        let tally = report.check.tally
        var parts = [
            FigureText.timeLeft(report.elapsed), FigureText.count(tally.recordCount, "record"),
            "\(tally.sampledCount) sampled, \(report.check.openCount) open",
        ]
        for (index, delay) in report.check.plan.delays.enumerated() {
            parts.append("\(FigureText.timeLeft(delay)) \(report.total(after: index).nines)")
        }
        if tally.wrongCount > 0 { parts.append("\(tally.wrongCount) WRONG") }
        if let silence = report.silence, silence > TailSilence.patience {
            parts.append("the publisher is silent for \(FigureText.timeLeft(silence))")
        }
        return parts.joined(separator: " · ")
    }

    func finish() { line.finish() }
}
