import ByteCoding
import CacheModel

extension OriginReply {
    /// The retry-after of the origin, from its first Retry-After field [1]; `nil`: it states none,
    /// or states a date, which no monotonic clock can read. At most a day.
    ///
    /// [1] RFC 9110, 10.2.3.
    package var retryAfter: Duration? {
        fields.first { FieldText.isSameWord($0.name, FieldName.retryAfter) }.flatMap {
            FieldText(trimming: Array($0.value.utf8)[...])
                .seconds(upTo: DeskLimits.retryAfterMax.components.seconds)
        }
    }
}
