extension OriginDesk {
    /// What the shell is to do, in this order.
    package enum Action: Equatable, Sendable {
        /// Send the request. Its `timeout` is what its load has left; its policy is the newest.
        case start(AttemptNumber, OriginRequest)
        /// Nobody wants what comes of this attempt. Give it up, and say when it has `finished`:
        /// until then it counts as one of those at the origin.
        case abort(AttemptNumber)
        /// The end of a load, for the shard that asked.
        case answer(LoadTicket, LoadAnswer)
    }
}
