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
