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
    let patience: Duration
    /// `nil`: no end.
    let span: Duration?
    let endsAtOnce: Bool
    let metrics: MetricsFile?
    /// Whether nothing is said on the way.
    let isQuiet: Bool

    private static let pause: Duration = .milliseconds(50)
    private static let metricsPause: Duration = .seconds(5)
    private static let learningPause: Duration = .seconds(60)
    /// Keys that one scan learns.
    private static let learnedMax = 256
    /// Receipts that are waited for at a time.
    private static let receiptsMax = 64

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
            if let span { group.addTask { _ = await Task.slept(for: span) } }
            if endsAtOnce { group.addTask { await run.awaitWrongAnswer() } }
            // Whichever ends first; no task ends before all are told to.
            defer { group.cancelAll() }
            try await group.next()
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
            repeat {
                for look in await state.takeDue() { group.addTask { await carryOut(look) } }
            } while await Task.slept(for: Self.pause)
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
        while await !state.hasWrongAnswer, await Task.slept(for: Self.pause) {}
    }

    // MARK: Comparing

    private func compare() async {
        await withDiscardingTaskGroup { group in
            repeat {
                while let look = await state.takeDueComparison() {
                    group.addTask { await carryOut(look) }
                }
            } while await Task.slept(for: Self.pause)
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
        repeat {
            do throws(CacheError) {
                for namespace in await state.scannedNamespaces { try await learn(in: namespace) }
            } catch {
                // Nothing is learned from a cluster that does not answer.
            }
        } while await Task.slept(for: Self.learningPause)
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
        let screen = WaitingLine(isQuiet: isQuiet)
        defer { screen.finish() }
        var writtenAt: Instant?
        var hasComplained = false
        repeat {
            screen.show(VerifyScreen.text(await state.report))
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
        } while await Task.slept(for: VerifyScreen.pause)
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
enum VerifyScreen {
    static let pause: Duration = .milliseconds(250)

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
}
