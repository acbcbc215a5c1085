extension PhaseFigures {
    /// Adds the measurements of another thread or process in the same phase, at the same time.
    ///
    /// The duration is the longer one of both, so that no rate looks better than it was.
    package mutating func merge(_ other: PhaseFigures) {
        seconds = max(seconds, other.seconds)
        offsetSeconds = min(offsetSeconds, other.offsetSeconds)
        series.merge(other.series)
        if let added = other.schedule {
            if schedule == nil { schedule = added } else { schedule?.merge(added) }
        }
        add(other)
    }

    /// Adds a later phase. Only counts and histograms: a series has its own times.
    package mutating func append(_ later: PhaseFigures) {
        seconds += later.seconds
        if let added = later.schedule {
            if schedule == nil { schedule = added } else { schedule?.append(added) }
        }
        add(later)
    }

    private mutating func add(_ other: PhaseFigures) {
        for figures in other.operations {
            if let index = operations.firstIndex(where: { $0.kind == figures.kind }) {
                operations[index].merge(figures)
            } else {
                operations.append(figures)
            }
        }
        generator.merge(other.generator)
        wasCutShort = wasCutShort || other.wasCutShort
    }
}
