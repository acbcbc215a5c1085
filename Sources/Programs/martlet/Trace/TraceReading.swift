import CommandSurface

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
