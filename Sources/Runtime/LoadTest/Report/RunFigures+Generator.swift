extension RunFigures {
    /// The cost of the load in `phase` and its bottleneck, in one sentence; `nil` if neither is
    /// known.
    ///
    /// - Parameter separator: the text between a number and its unit.
    package func generatorSentence(
        of phase: PhaseFigures, separator: String = " "
    ) -> String? {
        let generator = phase.generator
        var parts: [String] = []
        if let nanoseconds = generator.nanosecondsPerKey(phase.keyCount) {
            let time = FigureForm.latency(UInt64(nanoseconds), separator: separator)
            parts.append("\(time) of processor time for each key")
        }
        if let share = generator.busyShare {
            let text = FigureForm.share(share, separator: separator)
            parts.append("\(text) of its threads' time")
        }
        if let keys = echoKeysPerSecond, let rate = phase.keysPerSecond, rate > 0 {
            let text = FigureForm.rate(keys, separator: separator)
            let times = FigureForm.threeDigits(keys / rate)
            parts.append("an echo of its own answered \(text) keys/s, \(times) times as many")
        }
        if let limit = generator.limit { parts.append(limit.sentence) }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }
}
