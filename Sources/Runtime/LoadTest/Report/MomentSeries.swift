/// A phase over time: moments of equal width, one after the other.
///
/// The series is bounded: beyond ``momentCountMax``, neighbouring moments are merged in pairs. That
/// loses only resolution, because histograms are added and not averaged.
package struct MomentSeries: Equatable, Sendable {
    package static let momentCountMax = 1_024

    /// How long each moment is; the last one may have been measured for less.
    package private(set) var momentSeconds: Double
    /// The first begins with the phase.
    package private(set) var moments: [Moment] = []

    /// - Parameter momentSeconds: above zero.
    /// - Parameter moments: at most ``momentCountMax``.
    package init(momentSeconds: Double = 1, moments: [Moment] = []) {
        precondition(momentSeconds > 0, "a moment lasts")
        precondition(moments.count <= Self.momentCountMax, "a longer series was folded")
        self.momentSeconds = momentSeconds
        self.moments = moments
    }

    /// Adds a moment at `offsetSeconds` after the start of the phase. Moments of several threads
    /// may be added, in any order; a moment must not extend into the next one.
    ///
    /// - Complexity: usually O(1); O(moments) when the series is merged in pairs.
    package mutating func add(_ moment: Moment, at offsetSeconds: Double) {
        while offsetSeconds >= momentSeconds * Double(Self.momentCountMax) { fold() }
        // A margin of 1e-4 keeps 0.1 × 3 on the right side of 0.3.
        let index = Int(max(0, offsetSeconds) / momentSeconds + 1e-4)
        while moments.count <= index { moments.append(Moment()) }
        var moment = moment
        // Later within a wider moment: the moment was measured up to there.
        let reached = offsetSeconds + moment.seconds - Double(index) * momentSeconds
        moment.seconds = min(reached, momentSeconds)
        moments[index].merge(moment)
    }

    /// Adds the moments of another series of the same time.
    package mutating func merge(_ other: MomentSeries) {
        var other = other
        while momentSeconds * 1.5 < other.momentSeconds { fold() }
        while other.momentSeconds * 1.5 < momentSeconds { other.fold() }
        for (index, moment) in other.moments.enumerated() {
            if index == moments.count { moments.append(Moment()) }
            moments[index].merge(moment)
        }
    }

    /// The same with at most `countMax` moments, for a chart.
    package func folded(to countMax: Int) -> MomentSeries {
        var series = self
        while series.moments.count > max(countMax, 1) { series.fold() }
        return series
    }

    private mutating func fold() {
        momentSeconds *= 2
        moments = stride(from: 0, to: moments.count, by: 2).map { index in
            var moment = moments[index]
            if index + 1 < moments.count { moment.append(moments[index + 1]) }
            return moment
        }
    }
}

extension MomentSeries {
    /// Merges a last moment that was measured for less than half of its width into the one before:
    /// a rate over a few milliseconds is unreliable.
    mutating func joinShortEnd() {
        guard moments.count > 1, let last = moments.last, last.seconds < momentSeconds / 2 else {
            return
        }
        moments.removeLast()
        moments[moments.count - 1].append(last)
    }
}
