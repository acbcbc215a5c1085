import ByteCoding
package import CacheModel

/// An origin's complete answer, not yet interpreted.
package struct OriginReply: Equatable, Sendable {
    /// As in HTTP: 200 is a value, 304 means not modified, 404 means that there is none.
    package var status: Int
    /// In the order received; a name may repeat.
    package var fields: [OriginField]
    /// Empty if the status is not 2xx: only a value needs a body. For the answer to a write, at
    /// most its beginning, and only if the status is not 2xx.
    package var body: [UInt8]
    /// From sending the request until the answer was complete.
    package var elapsed: Duration

    package init(status: Int, fields: [OriginField], body: [UInt8], elapsed: Duration) {
        self.status = status
        self.fields = fields
        self.body = body
        self.elapsed = elapsed
    }

    /// The retry-after of the origin, from its first Retry-After field [1]; `nil`: it states none,
    /// or states a date, which no monotonic clock can read. At most a day.
    ///
    /// [1] RFC 9110, 10.2.3.
    package var retryAfter: Duration? {
        fields.first { FieldText.isSameWord($0.name, FieldName.retryAfter) }.flatMap {
            FieldText(trimming: Array($0.value.utf8)[...])
                .seconds(upTo: OriginSchedulerLimits.retryAfterMax.components.seconds)
        }
    }
}

/// Bounds on an origin's answer, in addition to the namespace's own bound on values.
package enum OriginReplyLimits {
    /// Maximum bytes of an answer's field names and values together. No server sends more on
    /// purpose, and it would have to be buffered.
    package static let fieldBytesMax = 65_536
    /// Maximum bytes read of an unneeded body, so that the connection can be reused; closing it is
    /// cheaper than reading more.
    package static let droppedBytesMax = 65_536
}
