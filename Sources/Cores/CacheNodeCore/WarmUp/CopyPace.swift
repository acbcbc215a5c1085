import CacheLoading
import CacheModel

/// When the next batch may be copied: never more keys, nor bytes, in a second than the settings
/// permit. Idle time is not caught up.
struct CopyPace: Sendable {
    private let perSecond: Int
    private let bytesPerSecond: Int
    /// Nothing is requested before this moment.
    private(set) var readyAt: Instant

    init(_ settings: WarmUpSettings, now: Instant) {
        perSecond = max(1, settings.perSecond)
        bytesPerSecond = max(1, settings.bytesPerSecond)
        readyAt = now
    }

    /// A request of this size was sent.
    ///
    /// - Parameter whole: how many of these keys count as one.
    mutating func charge(keys: Int, of whole: Int = 1, bytes: Int = 0, now: Instant) {
        let forKeys = Duration.seconds(1) * keys / (perSecond * whole)
        let forBytes = Duration.seconds(1) * bytes / bytesPerSecond
        readyAt = max(readyAt, now).advanced(by: max(forKeys, forBytes))
    }

    /// A peer does work that is not counted in keys.
    mutating func rest(_ duration: Duration, now: Instant) {
        readyAt = max(readyAt, now).advanced(by: duration)
    }

    /// Keys per batch: at most a tenth of a second's.
    var keysPerBatch: Int { max(1, min(WarmUpLimits.keysPerBatchMax, perSecond / 10)) }

    /// Approximate bytes per batch.
    var bytesPerBatch: Int { max(1, min(WarmUpLimits.bytesPerBatchMax, bytesPerSecond / 10)) }
}
