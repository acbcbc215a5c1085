import AccessControl
import ArgumentParser
import CacheAccess
import CacheConfiguration
import CommandSurface
import Threading

struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Read audit logs: invalidations with their clients, and refusals.",
        discussion: """
            Reads what roles write with --audit FILE, rotated files first; several logs are \
            merged by time. Damaged lines are skipped and counted.

            Examples:
              martlet audit cluster/publisher.audit --since 1h
              martlet audit cluster/*.audit --denied
              martlet audit cluster/publisher.audit --who web --json
            """)

    private static let pause: Duration = .milliseconds(200)
    private static let sinceMax: Duration = .seconds(3_660 * 86_400)

    @Argument(help: "Files that roles write; rotated files are read with them.")
    var files: [String]

    @Option(
        help: .value(
            "time", "Only lines that are not older: 1h, a day, or a time like 2026-11-24T11:00:00Z."
        ))
    var since: String?

    @Option(
        help: .value("name", "Only events of this entry, or of a client that claimed this name."))
    var who: String?

    @Option(help: .value("kind", "Only events of this kind: invalidate, receipt, …"))
    var event: [String] = []

    @Flag(help: "Only refusals: denied, left-out and stranger.")
    var denied = false

    @Flag(help: "Continue with new lines until Ctrl-C.")
    var follow = false

    @Flag(help: "Print the lines unchanged.")
    var json = false

    func run() async throws {
        let filter = try filter(now: AuditClock.milliseconds)
        // The numbered files are read with theirs.
        var reading = try AuditReading(
            Self.logs(files), filter, style: .chosen(isJSON: json))
        try reading.showAll()
        if follow {
            let begun = reading
            reading = try await Self.following(begun)
        }
        try reading.finish().finish()
    }

    private static func following(_ begun: AuditReading) async throws -> AuditReading {
        let kept = Kept(begun)
        try await Interruption.ending { try await kept.follow(pausing: pause) }
        return await kept.reading
    }

    private actor Kept {
        private(set) var reading: AuditReading

        init(_ reading: AuditReading) { self.reading = reading }

        func follow(pausing pause: Duration) async throws {
            repeat { try reading.showMore() } while await Task.slept(for: pause)
        }
    }

    /// Without those that are read with another: a shell's `*.audit*` names them all.
    static func logs(_ files: [String]) -> [String] {
        files.filter { file in
            guard let dot = file.lastIndex(of: "."), Int(file[file.index(after: dot)...]) != nil
            else { return true }
            return !files.contains(String(file[..<dot]))
        }
    }

    /// - Parameter now: milliseconds since 1970.
    func filter(now: Int64) throws -> AuditFilter {
        var filter = AuditFilter()
        filter.who = who
        if let unknown = event.first(where: { !AuditEvent.words.contains($0) }) {
            throw CommandFailure(
                .wrongUsage,
                "--event \(HarmlessText.line(unknown)) is none of "
                    + AuditEvent.words.joined(separator: ", "))
        }
        guard event.isEmpty || !denied else {
            throw CommandFailure(.wrongUsage, "--denied names events: it excludes --event")
        }
        filter.events = denied ? AuditFilter.denials : Set(event)
        filter.since = try since.map { AuditTime.text(of: try Self.moment($0, now: now)) }
        return filter
    }

    private static func moment(_ text: String, now: Int64) throws -> Int64 {
        if let moment = AuditTime.milliseconds(of: text) { return moment }
        do {
            let span = try DurationText.parse(text, in: .milliseconds(1)...sinceMax)
            return now - Int64(span.components.seconds) * 1_000
                - Int64(span.components.attoseconds / 1_000_000_000_000_000)
        } catch {
            throw CommandFailure(
                .wrongUsage,
                "--since \(HarmlessText.line(text)) is neither a time such as 1h nor a moment such "
                    + "as 2026-11-24 or 2026-11-24T11:00:00Z")
        }
    }
}
