/// A shard's request to the scheduler.
package struct LoadOrder: Equatable, Sendable {
    package var ticket: LoadTicket
    /// Its `timeout` is for the whole load: waiting for a turn, every attempt, every back-off. Its
    /// policy is the shard's; the scheduler uses its own configured policy.
    package var request: OriginRequest
    package var urgency: LoadUrgency

    package init(ticket: LoadTicket, request: OriginRequest, urgency: LoadUrgency) {
        self.ticket = ticket
        self.request = request
        self.urgency = urgency
    }
}
