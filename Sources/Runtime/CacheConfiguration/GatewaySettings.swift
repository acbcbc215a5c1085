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

extension GatewaySettings {
    /// As the file has it.
    func write(to writer: inout ConfigurationText) {
        let places: [(name: String, value: String?)] = [
            ("bind", bind?.description), ("http", http?.description), ("tokens", tokens),
            ("jwt-keys", jwtKeys), ("jwt-audience", jwtAudience), ("jwt-issuer", jwtIssuer),
            ("tls-certificate", tlsCertificate), ("tls-key", tlsKey),
        ]
        let lines: [(name: String, value: String?)] =
            places.map { ($0.name, $0.value.map(ConfigurationText.quoted)) } + [
                ("max-body", bodyBytesMax.map { ByteSizeText.format($0) }),
                ("max-connections", connectionsMax.map { "\($0)" }),
                ("idle", idle.map { DurationText.format($0) }),
            ]
        let isEmpty = lines.allSatisfy { $0.value == nil } && allowedOrigins.isEmpty
        writer.setting("gateway", isEmpty ? "{}" : "")
        for case (let name, let value?) in lines { writer.setting(name, value, indent: 2) }
        guard !allowedOrigins.isEmpty else { return }
        let origins = allowedOrigins.map(ConfigurationText.quoted).joined(separator: ", ")
        writer.setting("allow-origin", "[\(origins)]", indent: 2)
    }
}
