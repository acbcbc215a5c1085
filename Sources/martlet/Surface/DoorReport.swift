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
                "\(endpoint) is there and turns your key away",
                "it is not in its list, or past its date there"
            )
        case (.brokenOff, true):
            (
                "somebody is at \(endpoint), and is not who holds that key, or asks for none",
                "see whether the endpoint is copied whole, and from there"
            )
        case (.brokenOff, false):
            (
                "\(endpoint) is there and asks its clients who they are",
                "take its endpoint with ?key= and its digits, and say --key"
            )
        case (.admitted, _), (.unanswered, _): nil
        }
    }
}
