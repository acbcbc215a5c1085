extension ConfigurationReader {
    /// What gateways run with; `nil` if nothing is said of them.
    mutating func readGateway(_ root: MappingReader) -> GatewaySettings? {
        guard let reader = root.mapping("gateway") else { return nil }
        reader.refuseUnknown([
            "bind", "http", "tokens", "jwt-keys", "jwt-audience", "jwt-issuer", "allow-origin",
            "tls-certificate", "tls-key", "max-body", "max-connections", "idle",
        ])
        var settings = GatewaySettings()
        settings.bind = readHTTP(reader, "bind")
        settings.http = readHTTP(reader)
        settings.tokens = reader.directory("tokens", expected: "a file such as /etc/martlet/tokens")
        settings.jwtKeys = reader.directory(
            "jwt-keys", expected: "a file such as /etc/martlet/jwks.json")
        settings.jwtAudience = reader.text("jwt-audience", expected: "a name such as cache.example")
        settings.jwtIssuer = reader.text(
            "jwt-issuer", expected: "a name such as https://id.example")
        settings.allowedOrigins = readOrigins(reader)
        settings.tlsCertificate = reader.directory(
            "tls-certificate", expected: "a file such as /etc/martlet/chain.pem")
        settings.tlsKey = reader.directory(
            "tls-key", expected: "a file such as /etc/martlet/key.pem")
        if reader.entry("max-body") != nil {
            settings.bodyBytesMax = reader.byteSize(
                "max-body", default: ConfigurationLimits.gatewayBodyBytes.upperBound,
                in: ConfigurationLimits.gatewayBodyBytes)
        }
        if reader.entry("max-connections") != nil {
            settings.connectionsMax = reader.count(
                "max-connections", default: 1, in: ConfigurationLimits.gatewayConnections)
        }
        settings.idle = reader.optionalDuration(
            "idle", default: nil, in: ConfigurationLimits.gatewayIdle)
        refuseHalves(reader)
        return settings
    }

    /// What is nothing without the other.
    private func refuseHalves(_ reader: MappingReader) {
        for (name, other) in [
            ("jwt-keys", "jwt-audience"), ("jwt-audience", "jwt-keys"),
            ("jwt-issuer", "jwt-keys"), ("tls-certificate", "tls-key"),
            ("tls-key", "tls-certificate"),
        ] where reader.entry(name) != nil && reader.entry(other) == nil {
            reader.add(name, "\(name) is nothing without \(other); give both")
        }
    }

    private func readOrigins(_ reader: MappingReader) -> [String] {
        guard let entry = reader.entry("allow-origin") else { return [] }
        guard let list = entry.value.sequence else {
            reader.add(
                "allow-origin",
                "here must stand a list such as [https://app.example]; "
                    + "found \(entry.value.kindForPeople)")
            return []
        }
        return list.enumerated().compactMap { index, node in
            reader.text(
                node, path: "\(reader.path).allow-origin[\(index)]",
                expected: "an origin such as https://app.example")
        }
    }
}
