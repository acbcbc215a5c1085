import ByteCoding
import CommandSurface
import ConsoleCore
import MartletClient
import Threading

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The screen for what is no terminal: frames of text, or of JSON, one after the other.
struct TopReport {
    private static let columnsUsual = 120
    /// Between two looks whether all have answered.
    private static let step: Duration = .milliseconds(20)

    private let settings: ConsoleSettings
    private let countMax: Int
    private let style: OutputStyle

    init(_ settings: ConsoleSettings, countMax: Int, style: OutputStyle) {
        self.settings = settings
        self.countMax = countMax
        self.style = style
    }

    func run(_ cluster: ClusterOptions, patience: Duration) async throws {
        let report = self
        let status = Guarded(ExitStatus.done)
        try await Interruption.ending {
            try await cluster.withClient(for: .manyAnswers) { client in
                let console = Guarded(ClusterConsole(settings, now: MonotonicClock.now))
                let scout = TopScout(
                    client, interval: settings.interval, patience: patience,
                    endpoints: try cluster.endpoints
                ) { news in
                    console.withLock { $0.learn(news, now: MonotonicClock.now) }
                }
                let looking = Task { await scout.watch(wantsStream: false) }
                defer { looking.cancel() }
                let ending = try await report.write(console, patience: patience)
                status.withLock { $0 = ending }
            }
        }
        var output = CommandOutput()
        output.status = status.withLock { $0 }
        try output.finish()
    }

    /// - Returns: how the command ends.
    private func write(
        _ console: Guarded<ClusterConsole>, patience: Duration
    ) async throws -> ExitStatus {
        try await firstAnswers(console, patience: patience)
        var frames = 0
        while true {
            let output = console.withLock { console in
                console.passTime(now: MonotonicClock.now)
                return frame(console, isFirst: frames == 0)
            }
            try output.say()
            frames += 1
            if frames >= countMax { return output.status }
            try await Task.sleep(for: settings.interval)
        }
    }

    /// Waits until rates are known: two answers of every process, or a reason instead of them.
    private func firstAnswers(_ console: Guarded<ClusterConsole>, patience: Duration) async throws {
        let start = ContinuousClock.now
        while true {
            let (book, trouble) = console.withLock { ($0.book, $0.book.trouble) }
            if let trouble { throw CommandFailure(.unreachable, trouble) }
            if book.topology != nil {
                let isLate = ContinuousClock.now - start > settings.interval * 2 + patience * 2
                if book.tellsRates || isLate { return }
            }
            try await Task.sleep(for: Self.step)
        }
    }

    private func frame(_ console: ClusterConsole, isFirst: Bool) -> CommandOutput {
        let now = MonotonicClock.now
        var output = CommandOutput()
        if style == .json {
            output.writeLine(TopJSON.object(console, now: now))
        } else {
            if !isFirst { output.writeLine("") }
            console.page(columns: Self.columns, now: now).forEach { output.writeLine($0) }
        }
        for absence in [console.book.publisherAbsence] + console.book.nodes.map(\.absence) {
            guard let absence else { continue }
            let status: ExitStatus = absence.isDenial ? .refused : .incomplete
            output.status = output.status.combined(with: status)
        }
        return output
    }

    private static var columns: Int {
        let told = ProcessInfo.processInfo.environment["COLUMNS"].flatMap(Int.init)
        return told.flatMap { $0 > 0 ? $0 : nil } ?? columnsUsual
    }
}
