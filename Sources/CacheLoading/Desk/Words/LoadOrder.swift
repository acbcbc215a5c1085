/// What a shard asks of the desk.
package struct LoadOrder: Equatable, Sendable {
    package var ticket: LoadTicket
    /// Its `timeout` is for the whole load: waiting for a turn, every attempt, every rest. Its
    /// policy is the shard's; the desk goes by the one that it was configured with.
    package var request: OriginRequest
    package var urgency: LoadUrgency

    package init(ticket: LoadTicket, request: OriginRequest, urgency: LoadUrgency) {
        self.ticket = ticket
        self.request = request
        self.urgency = urgency
    }
}
