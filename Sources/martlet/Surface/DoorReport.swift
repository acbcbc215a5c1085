import MartletClient
import ZeroMQ

/// Why nobody answers, where that can be seen from outside: an endpoint that is there and does not
/// let this client in says nothing, and looks to the client as if it were not there.
enum DoorReport {
    private static let patience: Duration = .seconds(1)
    private static let endpointsMax = 3

    /// A sentence; `nil` if nothing is to be said.
    static func remark(_ endpoints: [String], _ keys: ClientKeys?) -> String? {
        do {
            let context = try Context()
            for text in endpoints.prefix(endpointsMax) {
                let endpoint = try Endpoint(text, for: .connecting)
                let guise = keys.map { HandshakeProbe.Guise.holder($0.pair) } ?? .plain
                let outcome = try HandshakeProbe.knock(
                    at: endpoint, as: guise, patience: patience, in: context)
                if let remark = remark("\(endpoint)", outcome, hasKey: keys != nil) {
                    return "\(remark.what): \(remark.remedy)"
                }
            }
        } catch {
            // What it would have said is a help, and no more.
        }
        return nil
    }

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
