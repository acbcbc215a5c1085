/// One subscriber, for as long as it is there: a place that is used again, and a number that is
/// not.
package struct SubscriberID: Hashable, Sendable {
    package let slot: Int
    package let serial: UInt64
}
