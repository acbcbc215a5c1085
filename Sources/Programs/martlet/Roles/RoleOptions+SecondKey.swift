import AccessControl
import CommandSurface
import ZeroMQ

/// A role's second key, and where it listens with it.
extension RoleOptions {
    /// What ``secondKey`` and ``secondEndpoint`` say; `nil`: neither is given.
    ///
    /// - Parameters:
    ///   - first: the key that the process has already.
    ///   - listenerCount: in how many places it listens.
    func second(
        beside first: CurveKeyPair, listenerCount: Int
    ) throws -> SecondKey? {
        guard let secondKey, let secondEndpoint else {
            guard secondKey == nil, secondEndpoint == nil else {
                throw CommandFailure(
                    .wrongUsage,
                    "--second-key and --second-endpoint go together: which key, and where is one "
                        + "spoken to by it?")
            }
            return nil
        }
        let keys = try Self.pair(secondKey)
        guard keys.publicKey != first.publicKey else {
            throw CommandFailure(
                .unusableConfiguration,
                "--second-key \(secondKey) is the key that --key names, too: make another with "
                    + "martlet keygen")
        }
        let endpoints = try Self.endpoints(secondEndpoint, count: listenerCount)
        for endpoint in endpoints { try checkKey(of: endpoint, keys) }
        return SecondKey(keys: keys, endpoints: endpoints)
    }

    /// Reads one endpoint for each place, or the first of ports that follow each other.
    static func endpoints(_ text: String, count: Int) throws -> [Endpoint] {
        let endpoints = try text.split(separator: ",", omittingEmptySubsequences: false).map {
            try NodePlan.endpoint(String($0), for: .binding)
        }
        if endpoints.count == count { return endpoints }
        guard endpoints.count == 1, let port = endpoints[0].port else {
            throw CommandFailure(
                .wrongUsage,
                "--second-endpoint names \(endpoints.count) places where \(count) are wanted: say "
                    + "all of them, with commas, or the first of ports that follow each other")
        }
        return try (0..<count).map { index in
            guard let later = UInt16(exactly: port == 0 ? 0 : Int(port) + index),
                let endpoint = endpoints[0].withPort(later)
            else {
                throw CommandFailure(
                    .wrongUsage,
                    "--second-endpoint \(text): there are no \(count) ports from there on; begin "
                        + "lower")
            }
            return endpoint
        }
    }
}
