/// What the gateways of a cluster run with, unless their flags say otherwise. `nil`: as a gateway
/// does by itself.
package struct GatewaySettings: Hashable, Sendable {
    package var bind: HTTPPlace?
    /// Where it answers monitoring systems.
    package var http: HTTPPlace?
    /// The list of tokens.
    package var tokens: String?
    /// A JWKS, and what the tokens have to say.
    package var jwtKeys: String?
    package var jwtAudience: String?
    package var jwtIssuer: String?
    /// As browsers write them, or `*`.
    package var allowedOrigins: [String] = []
    package var tlsCertificate: String?
    package var tlsKey: String?
    package var bodyBytesMax: Int?
    package var connectionsMax: Int?
    package var idle: Duration?

    package init() {}
}
