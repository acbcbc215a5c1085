extension OriginDesk {
    /// Actions for the shell, to be performed in order.
    package enum Action: Equatable, Sendable {
        /// Send the request. Its `timeout` is the remaining time of its load; its policy is the
        /// newest.
        case start(AttemptNumber, OriginRequest)
        /// The result of this attempt is no longer needed. Abort it, and call `finished` when it
        /// has ended: until then it counts as one of those at the origin.
        case abort(AttemptNumber)
        /// The end of a load, for the shard that asked for it.
        case answer(LoadTicket, LoadAnswer)
    }
}
