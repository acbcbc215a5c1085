package import CacheHTTP
package import MartletClient
package import OperationLog
package import SpanExport

/// How a gateway runs.
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
    /// 0: any that is free.
    package var port: Int
    package var client: CacheClientConfiguration
    /// `nil`: plain HTTP/1.1.
    package var certificate: Certificate?
    /// The rights of tokens; `nil`: every client that reaches it may do everything.
    package var tokensFile: String?
    /// The web tokens that are taken beside those; `nil`: none.
    package var webTokens: WebTokenOptions?
    /// Pages of which other origins may use it.
    package var origins = AllowedOrigins.none
    /// Longest value that is taken, in bytes.
    package var bodyBytesMax = GatewayLimits.bodyBytesStandard
    /// `nil`: nothing, every read is asked of a node.
    package var near: Near?
    package var connectionsMax = GatewayLimits.connectionsStandard
    /// How long a connection may be silent between requests, and a request may take to arrive.
    package var patience = GatewayLimits.patienceStandard

    /// Whether its health is watched, so that it looks at the cluster by itself.
    package var isWatched = false
    /// Where it notes requests that take long; `nil`: nowhere.
    package var slow: SlowLog?
    /// Where it notes one of so many requests; `nil`: nowhere.
    package var sample: SampleLog?
    /// Records spans of requests and of what is asked for them; `nil`: none are recorded.
    package var spans: SpanTracer?
    /// Whether a client has to show a token.
    package var asksForTokens: Bool { tokensFile != nil || webTokens != nil }

    /// Whether only this machine reaches it. A name that begins with `127.` may lead anywhere.
    package var isLoopback: Bool {
        PageGuard.isLoopback(host.contains(":") ? "[\(host)]" : host)
    }

    package init(host: String, port: Int, client: CacheClientConfiguration) {
        self.host = host
        self.port = port
        self.client = client
    }
}
