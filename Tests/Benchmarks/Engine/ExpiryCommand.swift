import ArgumentParser
import CMeasure
import CacheMemory
import CacheModel

/// What has expired and is still there, and how long a tick takes when much expires at once.
struct ExpiryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "expiry", abstract: "Entries that expire: together, and all the time.")

    @Option var entries = 1_000_000
    @Option var rounds = 3

    func run() {
        together()
        steadily()
    }

    /// Ends are spread over one second; ticks come every millisecond while there is due work.
    private func together() {
        var (longest, late) = (Sample(), Sample())
        for _ in 0..<rounds {
            var subject = Subject(budgetBytes: 2 << 30)
            let began = subject.now
            var shape = Subject.Shape()
            for number in 0..<entries {
                shape.timeToLive = .nanoseconds(10_000_000_000 + number * 1_000_000_000 / entries)
                subject.store(number, shape)
            }
            subject.now = began.advanced(by: .seconds(10))
            var tickNanoseconds = 0.0
            while subject.tier.entryCount > 0 {
                subject.now = subject.now.advanced(by: .milliseconds(1))
                let start = measure_thread_nanoseconds()
                subject.tick()
                tickNanoseconds = max(
                    tickNanoseconds, Double(measure_thread_nanoseconds() - start))
            }
            longest.add(tickNanoseconds)
            let end = began.advanced(by: .seconds(11))
            late.add(subject.now.elapsed(since: end) / .milliseconds(1))
        }
        Report.print(
            "longest tick, \(entries) expire in one second (processor)",
            Report.milliseconds(longest.median), asked: "≤ 1 ms")
        Report.print("the last is gone after its end by", Report.number(late.median) + " ms")
    }

    /// 100 000 stores a second that live 1 to 30 s, ticks as a shard has them: every millisecond
    /// while something is due. In the steady state, each second: how much has been over for two
    /// seconds or more and is still held, in entries that live.
    private func steadily() {
        let subject = SubjectBox(Subject(budgetBytes: 2 << 30))
        var draw = Draw(seed: 5)
        var steps: [[(number: Int, life: Int)]] = []
        var (held, work) = (Sample(), Sample())
        var number = 0
        for step in 0..<60_000 {
            var stored: [(number: Int, life: Int)] = []
            for _ in 0..<100 {
                let life = 1_000 + draw.below(29_000)
                var shape = Subject.Shape()
                shape.timeToLive = .milliseconds(life)
                subject.value.store(number, shape)
                stored.append((number, life))
                number += 1
            }
            steps.append(stored)
            subject.value.now = subject.value.now.advanced(by: .milliseconds(1))
            if subject.value.tier.hasDueWork || step % 100 == 0 {
                let start = measure_thread_nanoseconds()
                subject.value.tick()
                work.add(Double(measure_thread_nanoseconds() - start))
            }
            if step > 35_000, step % 1_000 == 0 {
                held.add(Self.shareHeld(subject, steps, at: step))
            }
        }
        Report.print(
            "over for 2 s and still held, 1–30 s to live, greatest",
            Report.percent(held.greatest), asked: "≤ 1 %")
        Report.print(
            "ticks: longest, and their share of the thread",
            Report.milliseconds(work.greatest) + ", "
                + Report.percent(work.sum / 60_000 / 1_000_000))
    }

    /// Asks for a sample of those that ended 2 to 30 s ago: one that is still held is removed by
    /// that, and counted as expired.
    private static func shareHeld(
        _ subject: SubjectBox, _ steps: [[(number: Int, life: Int)]], at step: Int
    ) -> Double {
        var (asked, ended) = (0, 0)
        let before = subject.value.tier.statistics.removals[.expired] ?? 0
        for (began, stored) in steps.enumerated() {
            for (number, life) in stored where began + life < step - 2_000 {
                ended += 1
                guard number % 97 == 0 else { continue }
                asked += 1
                _ = subject.value.get([Int32(number)])
            }
        }
        let found = (subject.value.tier.statistics.removals[.expired] ?? 0) - before
        let live = Double(subject.value.tier.entryCount)
        return Double(found) / Double(max(1, asked)) * Double(ended) / live
    }
}
