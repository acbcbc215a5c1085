package import CacheModel

/// What an origin answered, whole, before anybody has judged it.
package struct OriginReply: Equatable, Sendable {
    /// As in HTTP: 200 is a value, 304 that it has not changed, 404 that there is none.
    package var status: Int
    /// In the order in which they came; a name may repeat.
    package var fields: [OriginField]
    /// Empty where the status is not 2xx: what is no value needs none. Of the answer to a write at
    /// most its first words, and those only where it is not 2xx.
    package var body: [UInt8]
    /// From when the request was sent until the answer was whole.
    package var elapsed: Duration

    package init(status: Int, fields: [OriginField], body: [UInt8], elapsed: Duration) {
        self.status = status
        self.fields = fields
        self.body = body
        self.elapsed = elapsed
    }
}
