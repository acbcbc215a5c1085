import ByteCoding
import CacheModel
import CommandSurface
import ConsoleCore
import EssentialFoundation
import MartletClient
import Threading

/// The screen for what is no terminal: frames of text, or of JSON, one after the other.
struct TopReport {
    private static let columnsUsual = 120
    private static let step: Duration = .milliseconds(20)

    let settings: ConsoleSettings
    let countMax: Int
    let style: OutputStyle

    func run(_ cluster: ClusterOptions, patience: Duration) async throws {
        let report = self
        let status = Guarded(ExitStatus.done)
        try await Interruption.ending {
            try await cluster.withClient(for: .manyAnswers) { client in
                let console = Guarded(ClusterConsole(settings, now: MonotonicClock.now))
                let scout = TopScout(
                    client: client, interval: settings.interval, patience: patience,
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
            let (cluster, trouble) = console.withLock { ($0.cluster, $0.cluster.trouble) }
            if let trouble { throw CommandFailure(.unreachable, trouble) }
            if cluster.topology != nil {
                let isLate = ContinuousClock.now - start > settings.interval * 2 + patience * 2
                if cluster.tellsRates || isLate { return }
            }
            try await Task.sleep(for: Self.step)
        }
    }

    private func frame(_ console: ClusterConsole, isFirst: Bool) -> CommandOutput {
        let now = MonotonicClock.now
        var output = CommandOutput(style, json: TopJSON.object(console, now: now)) { output in
            if !isFirst { output.writeLine("") }
            console.page(columns: Self.columns, now: now).forEach { output.writeLine($0) }
        }
        for absence in [console.cluster.publisherAbsence] + console.cluster.nodes.map(\.absence) {
            guard let absence else { continue }
            let status: ExitStatus = absence.isDenial ? .refused : .incomplete
            output.status = output.status.combined(with: status)
        }
        return output
    }

    private static var columns: Int {
        let told = ProcessEnvironment.variables["COLUMNS"].flatMap(Int.init)
        return told.flatMap { $0 > 0 ? $0 : nil } ?? columnsUsual
    }
}

/// The screen for scripts.
enum TopJSON {
    static func object(_ console: ClusterConsole, now: Instant) -> JSONDocument {
        let cluster = console.cluster
        let totals = cluster.totals
        return .object([
            ("topology", .optional(cluster.topology?.kind, JSONDocument.text)),
            ("head", .optional(cluster.head, JSONDocument.position)),
            ("publisher", publisher(of: cluster)),
            ("gets_per_second", .optional(totals.gets, JSONDocument.decimal)),
            ("hit_ratio", .optional(totals.hitShare, JSONDocument.decimal)),
            ("invalidations_per_second", .optional(totals.invalidations, JSONDocument.decimal)),
            ("nodes", .list(console.nodeRows(now: now).map(node))),
        ])
    }

    private static func publisher(of cluster: ClusterOverview) -> JSONDocument {
        let state = cluster.publisherAbsence == nil ? cluster.publisher?.state : nil
        return .object([
            ("endpoint", .optional(cluster.topology?.publisher, JSONDocument.text)),
            ("reachable", .optional(isReached(publisher: cluster), JSONDocument.bool)),
            ("state", .optional(state) { .text($0.description) }),
            ("reason", .optional(cluster.publisherAbsence?.sentence, JSONDocument.text)),
        ])
    }

    /// `nil` before it was heard of, one way or the other.
    private static func isReached(publisher cluster: ClusterOverview) -> Bool? {
        if let absence = cluster.publisherAbsence { return absence.isDenial }
        return cluster.publisher == nil ? nil : true
    }

    private static func node(_ row: NodeRow) -> JSONDocument {
        let track = row.track
        func figure(_ name: String) -> JSONDocument {
            .optional(track.sum(name), JSONDocument.unsigned)
        }
        func rate(_ name: String) -> JSONDocument {
            .optional(track.rate(name), JSONDocument.decimal)
        }
        return .object([
            ("node", .node(row.node)), ("state", .text(row.standing.word)),
            ("state_ms", .optional(row.since, JSONDocument.milliseconds)),
            ("reason", .optional(row.reason, JSONDocument.text)),
            ("lease_ms", .optional(row.leaseLeft, JSONDocument.milliseconds)),
            ("lag", .optional(row.lag, JSONDocument.unsigned)),
            ("behind_ms", .optional(row.delay, JSONDocument.milliseconds)),
            ("shards", .integer(track.parts.count)), ("gets_per_second", rate("gets")),
            ("hit_ratio", .optional(row.hitShare, JSONDocument.decimal)),
            ("entries", figure("entries")), ("memory_bytes", figure("memory_bytes")),
            ("memory_bytes_max", figure("memory_bytes_max")),
            ("disk_entries", figure("disk_entries")),
            ("applied_per_second", .optional(row.appliedRate, JSONDocument.decimal)),
            ("evicted_per_second", rate("removed_evicted")), ("loads_per_second", rate("loads")),
            ("descriptors", figure("descriptors")),
        ])
    }
}
