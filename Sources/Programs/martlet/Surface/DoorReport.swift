import ZeroMQ

/// Why no answer comes, where that can be seen from outside: an endpoint that is there and does not
/// let this client in says nothing, and looks to the client as if it were not there.
enum DoorReport {
    /// What a handshake says about an endpoint and a key, and what to do; `nil` if nothing is to
    /// be said.
    static func remark(
        _ endpoint: String, _ outcome: HandshakeOutcome, hasKey: Bool
    ) -> (what: String, remedy: String)? {
        switch (outcome, hasKey) {
        case (.refused, _):
            (
                "\(endpoint) answers and refuses your key",
                "the key is not in its list, or past its date there"
            )
        case (.brokenOff, true):
            (
                "a process listens at \(endpoint), but does not hold that key, or uses no keys",
                "check that the endpoint is copied whole, and from that process"
            )
        case (.brokenOff, false):
            (
                "\(endpoint) answers and authenticates its clients",
                "use its endpoint with ?key= and its digits, and give --key"
            )
        case (.admitted, _), (.unanswered, _): nil
        }
    }
}
