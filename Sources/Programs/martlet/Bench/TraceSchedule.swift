import CacheModel
import CacheWorkload
import LoadTest

/// When the requests of a trace are due.
struct TraceSchedule: Sendable {
    /// Nanoseconds from the beginning, never falling.
    private let dues: [UInt64]

    init(_ requests: [TraceRequest], speed: Double) {
        var pace = TracePace(speed: speed, start: Instant(nanoseconds: 0))
        dues = requests.map { pace.due(recordedAt: $0.nanoseconds).nanoseconds }
    }

    subscript(index: Int) -> UInt64 { dues[index] }

    /// How many requests are due at a moment.
    ///
    /// - Parameter moment: nanoseconds from the beginning.
    /// - Complexity: O(log requests).
    func dueCount(at moment: UInt64) -> Int {
        var range = dues.startIndex..<dues.endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if dues[middle] <= moment {
                range = (middle + 1)..<range.upperBound
            } else {
                range = range.lowerBound..<middle
            }
        }
        return range.lowerBound
    }

    /// What it asked for, once it is over.
    ///
    /// - Parameters:
    ///   - measured: how late requests were, and how many waited.
    ///   - takenCount: how many requests were taken, to be begun when they are due.
    ///   - end: nanoseconds from the beginning.
    func figures(_ measured: ScheduleFigures, takenCount: Int, end: UInt64) -> ScheduleFigures {
        var figures = measured
        let dueCount = dueCount(at: end)
        figures.dueCount = UInt64(dueCount)
        figures.notSentCount = UInt64(max(0, dueCount - takenCount))
        // A stuck worker notes no backlog: requests that were not sent count, too.
        figures.backlogMax = max(figures.backlogMax, figures.notSentCount)
        return figures
    }
}
