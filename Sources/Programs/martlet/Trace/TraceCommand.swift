import ArgumentParser
import CacheConfiguration
import CacheModel
import CommandSurface

struct TraceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace",
        abstract: "Replay recorded requests through the engine: how large should a cache be?",
        discussion: """
            A trace has one request a line: time,key,size. A first line that says so, spaces \
            around fields and CRLF are fine; what gzip has packed is unpacked. It is replayed \
            through the code that nodes run: what is asked for and missed is stored. The first \
            request for a key is a miss. N% is of the footprint – the different keys, or the sum \
            of each key's largest size – rounded down, at least 1 for each shard.

            A trace is read once and kept as 8 bytes a request and about 40 a key, beside the \
            keys themselves. Ends with 65 at a malformed line, and names it.

            Examples:
              martlet trace requests.csv.gz
              martlet trace requests.csv.gz --curve
              martlet trace requests.csv --unit bytes --capacity 64MiB,1GiB
              zcat access.log.gz | awk '{print NR "," $7 "," $10}' | martlet trace -
            """)

    @Argument(help: "Traces, plain or packed by gzip; - is standard input.")
    var files: [String]

    @Option(
        help: .value(
            "1%|64MiB|1000[,...]",
            "Sizes: a share of the footprint, bytes, or a number. (default: 0.1%,1%,10%,20%)"),
        transform: TraceCapacity.list)
    var capacity: [[TraceCapacity]] = []

    @Option(help: "What sizes count: objects or bytes.")
    var unit: TraceUnit = .objects

    @Option(
        help: .value(
            "policy[,...]",
            "Policies, or all. (default: \(TracePlan.policyDefault.rawValue), which nodes use)"),
        transform: TraceCommand.policies)
    var policy: [[EvictionPolicyName]] = []

    @Option(help: "Cut the cache into as many parts, each with its share of the keys.")
    var shards = 1

    @Flag(help: "Show each policy's miss ratio at sizes up to the whole footprint.")
    var curve = false

    @Flag(help: "Count malformed lines instead of ending at the first.")
    var skipMalformed = false

    @Flag(help: "Write JSON: one object a line, for each trace and size.")
    var json = false

    func validate() throws {
        guard TraceLimits.shards.contains(shards) else {
            throw ValidationError(
                "--shards is \(TraceLimits.shards.lowerBound) to \(TraceLimits.shards.upperBound)")
        }
        try refuse(
            if: curve && !capacity.isEmpty, "--curve has its own sizes: it excludes --capacity")
        let hasBytes = capacity.joined().contains { if case .bytes = $0 { true } else { false } }
        try refuse(if: unit == .objects && hasBytes, "a capacity in bytes needs --unit bytes")
        try refuse(
            if: files.filter({ $0 == "-" }).count > 1,
            "standard input can be read once: - is given twice")
    }

    func run() async throws {
        let plan = try plan
        for file in files {
            let trace = try TraceReading.read(file, skipsMalformed: plan.skipsMalformed)
            let report = await plan.replay(trace, path: file)
            let style = OutputStyle.chosen(isJSON: json)
            try (curve ? report.curveOutput(style) : report.output(style)).say()
        }
    }

    var plan: TracePlan {
        get throws {
            let usual = curve ? TraceCapacity.curve : TraceCapacity.usual
            let sizes =
                try capacity.isEmpty ? usual.map(TraceCapacity.init) : Array(capacity.joined())
            let named = policy.joined().reduce(into: [EvictionPolicyName]()) {
                if !$0.contains($1) { $0.append($1) }
            }
            return TracePlan(
                unit: unit, capacities: sizes,
                policies: named.isEmpty ? [TracePlan.policyDefault] : named,
                shards: shards, skipsMalformed: skipMalformed)
        }
    }

    /// Policies with commas between them; `all` is every one.
    private static func policies(_ text: String) throws -> [EvictionPolicyName] {
        try text.split(separator: ",", omittingEmptySubsequences: false).flatMap { name in
            if name == "all" { return EvictionPolicyName.allCases }
            guard let policy = EvictionPolicyName(rawValue: String(name)) else {
                let names = EvictionPolicyName.allCases.map(\.rawValue).joined(separator: ", ")
                throw TextProblem(
                    "\(TextProblem.quote(String(name))) is no policy; give \(names) or all")
            }
            return [policy]
        }
    }
}

/// Reads a trace into memory.
enum TraceReading {
    /// The trace in the file at `path`; `-` is standard input.
    ///
    /// - Throws: ``CommandFailure`` if it cannot be read, has no request or too many, or names the
    ///   first malformed line, unless such are skipped.
    static func read(_ path: String, skipsMalformed: Bool) throws -> RecordedTrace {
        var parser = TraceParser(skipsMalformed: skipsMalformed)
        var recorder = TraceRecorder()
        do {
            try TraceFile.read(path) { piece in
                try parser.feed(piece) { recorder.add($0) }
                guard recorder.requestCount <= TraceLimits.requestsMax else {
                    throw CommandFailure(
                        .refused,
                        "\(HarmlessText.line(path)) has more than \(TraceLimits.requestsMax) "
                            + "requests; replay a part of it")
                }
            }
            try parser.finish { recorder.add($0) }
        } catch let problem as TraceProblem {
            throw CommandFailure(
                .unusableInput,
                "\(problem.sentence(in: path)) (--skip-malformed passes over such lines)")
        }
        guard recorder.requestCount > 0 else {
            throw emptiness(of: path, firstSkipped: parser.firstSkipped)
        }
        var trace = recorder.finish()
        trace.skippedCount = parser.skippedCount
        trace.firstSkipped = parser.firstSkipped
        return trace
    }

    private static func emptiness(
        of path: String, firstSkipped: TraceProblem?
    ) -> CommandFailure {
        let reason = firstSkipped.map { ": no line is well-formed, first \($0.sentence(in: path))" }
        return CommandFailure(
            .unusableInput,
            "\(HarmlessText.line(path)) holds no request"
                + (reason ?? "; each line of a trace is time,key,size"))
    }
}
