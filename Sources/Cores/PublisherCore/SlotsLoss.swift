/// Why a publisher cannot continue with the stored owners of slots: a new epoch begins.
package enum SlotsLoss: Error, CaseIterable, Hashable, Sendable, CustomStringConvertible {
    case missing
    case damaged
    /// The log was set back, or the owners were, or they are of another log.
    case notOfTheLog
    /// An epoch began since, and its owners were not stored.
    case ofAnEarlierEpoch
    /// Records that may be about slots were removed by retention, or cannot be read.
    case beforeRetention

    package var description: String {
        switch self {
        case .missing: "they are missing"
        case .damaged: "they are damaged, or of a later release"
        case .notOfTheLog: "they are not of this log: it was set back, or they were"
        case .ofAnEarlierEpoch: "the log has begun another epoch since they were stored"
        case .beforeRetention: "the log does not keep all records since they were stored"
        }
    }
}
