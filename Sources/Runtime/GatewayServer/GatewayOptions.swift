package import CacheHTTP
import GatewayCore
package import MartletClient
package import Telemetry

/// Options of a gateway.
package struct GatewayOptions: Sendable {
    /// A certificate chain and its key, as files of PEM.
    package struct Certificate: Hashable, Sendable {
        package var chainFile: String
        package var keyFile: String

        package init(chainFile: String, keyFile: String) {
            self.chainFile = chainFile
            self.keyFile = keyFile
        }
    }

    /// An IPv4 or IPv6 address, or a name.
    package var host: String
    /// 0: any free port.
    package var port: Int
    package var client: CacheClientConfiguration
    /// `nil`: plain HTTP/1.1.
    package var certificate: Certificate?
    /// The rights of tokens; `nil`: every client that can connect may do everything.
    package var tokensFile: String?
    /// Web tokens that are accepted in addition; `nil`: none.
    package var webTokens: WebTokenOptions?
    /// Other origins: their pages may use it.
    package var origins = AllowedOrigins.none
    /// Longest accepted value, in bytes.
    package var bodyBytesMax = GatewayLimits.bodyBytesStandard
    /// `nil`: no near cache, every read goes to a node.
    package var near: Near?
    package var connectionsMax = GatewayLimits.connectionsStandard
    /// How long a connection may be silent between requests, and a request may take to arrive.
    package var patience = GatewayLimits.patienceStandard

    /// Whether its health is watched, so that it checks the cluster at intervals.
    package var isWatched = false
    /// Log of slow requests; `nil`: none.
    package var slow: SlowLog?
    /// Log of sampled requests; `nil`: none.
    package var sample: SampleLog?
    /// Records spans of requests and of their calls to the cluster; `nil`: none are recorded.
    package var spans: SpanTracer?
    /// Whether a client must have a token.
    package var asksForTokens: Bool { tokensFile != nil || webTokens != nil }

    /// Whether it is reachable only from this machine. A name that begins with `127.` may resolve
    /// to any address.
    package var isLoopback: Bool {
        PageGuard.isLoopback(host.contains(":") ? "[\(host)]" : host)
    }

    package init(host: String, port: Int, client: CacheClientConfiguration) {
        self.host = host
        self.port = port
        self.client = client
    }
}

extension GatewayOptions {
    /// Options of the near cache.
    package struct Near: Hashable, Sendable {
        package static let bytesRange = NearLimits.bytesMin...NearLimits.bytesMax
        package static let ageRange = NearLimits.ageMin...NearLimits.ageMax

        /// Within ``bytesRange``.
        package var bytesMax: Int
        /// How long a value is served after a node was asked for it; within ``ageRange``.
        package var ageMax = NearLimits.ageStandard

        package init(bytesMax: Int) { self.bytesMax = bytesMax }
    }
}

/// The accepted JSON web tokens.
package struct WebTokenOptions: Hashable, Sendable {
    /// A JWKS.
    package var keysFile: String
    /// Required in `aud`.
    package var audience: String
    /// Required value of `iss`; `nil`: any issuer with a key in the file.
    package var issuer: String?

    package init(keysFile: String, audience: String, issuer: String? = nil) {
        self.keysFile = keysFile
        self.audience = audience
        self.issuer = issuer
    }
}
