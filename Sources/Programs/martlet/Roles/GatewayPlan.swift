#if Web
    import ArgumentParser
    import CacheConfiguration
    import CacheHTTP
    import CacheModel
    import CommandSurface
    import EssentialFoundation
    import GatewayServer
    import MartletClient
    import ZeroMQ

    /// What a gateway runs with: flags first, then variables, then the file.
    struct GatewayPlan {
        var options: GatewayOptions
        /// Where the file has it answer monitoring systems.
        var http: HTTPPlace?

        static let bindVariable = "MARTLET_GATEWAY_BIND"
        static let configVariable = "MARTLET_CONFIG"

        init(_ command: GatewayCommand, _ environment: [String: String]) throws {
            let path = command.config ?? environment.text(of: Self.configVariable)
            let file = try path.map(ConfigurationFile.read)
            let settings = file?.gateway ?? GatewaySettings()
            let (host, port) = try Self.place(
                command.bind ?? environment.text(of: Self.bindVariable) ?? settings.bind?
                    .description
                    ?? GatewayCommand.bindDefault)
            let endpoints = try Self.endpoints(
                command.cluster ?? environment.text(of: ClusterOptions.variable), of: file)
            var client = CacheClientConfiguration(endpoints: endpoints)
            let key = command.key ?? environment.text(of: ClusterOptions.keyVariable)
            client.keys = try key.map { ClientKeys(try RoleOptions.pair($0)) }
            client.timeout = command.timeout ?? ClusterOptions.timeoutDefault
            client.near = command.near
            client.issuer = Issuer(shortening: "gateway")
            options = GatewayOptions(host: host, port: port, client: client)
            options.tokensFile =
                command.tokens ?? environment.text(of: RoleOptions.tokensVariable)
                ?? settings.tokens
            options.webTokens = try command.strangers.webTokens(settings)
            options.origins = try command.strangers.origins(settings)
            let chain = command.tlsCertificate ?? settings.tlsCertificate
            switch (chain, command.tlsKey ?? settings.tlsKey) {
            case (nil, nil): break
            case (.some(let chain), .some(let key)):
                options.certificate = GatewayOptions.Certificate(chainFile: chain, keyFile: key)
            default:
                throw CommandFailure(
                    .wrongUsage, "--tls-certificate and --tls-key belong together: give both")
            }
            try setLimits(command, settings)
            options.near = try Self.near(command.nearCache, age: command.nearCacheAge)
            http = settings.http
        }

        /// What is remembered of what nodes answered, as `--near-cache` and `--near-cache-age` say
        /// it.
        static func near(_ size: String?, age: String?) throws -> GatewayOptions.Near? {
            guard let size else {
                guard age == nil else {
                    throw CommandFailure(
                        .wrongUsage,
                        "--near-cache-age says how long --near-cache remembers: give both")
                }
                return nil
            }
            var near: GatewayOptions.Near
            do throws(TextProblem) {
                near = GatewayOptions.Near(bytesMax: try ByteSizeText.parse(size))
                if let age { near.ageMax = try DurationText.parse(age) }
            } catch {
                throw CommandFailure(
                    .wrongUsage, "--near-cache or --near-cache-age: \(error.sentence)")
            }
            guard GatewayOptions.Near.bytesRange.contains(near.bytesMax) else {
                throw CommandFailure(.wrongUsage, "--near-cache is 64KiB to 1TiB")
            }
            guard GatewayOptions.Near.ageRange.contains(near.ageMax) else {
                throw CommandFailure(.wrongUsage, "--near-cache-age is 10ms to 60s")
            }
            return near
        }

        private mutating func setLimits(
            _ command: GatewayCommand, _ settings: GatewaySettings
        ) throws {
            do throws(TextProblem) {
                if let bytes = settings.bodyBytesMax { options.bodyBytesMax = bytes }
                if let idle = settings.idle { options.patience = idle }
                if let text = command.maxBody {
                    options.bodyBytesMax = try ByteSizeText.parse(text)
                }
                if let text = command.idle { options.patience = try DurationText.parse(text) }
            } catch {
                throw CommandFailure(.wrongUsage, "--max-body or --idle: \(error.sentence)")
            }
            guard ConfigurationLimits.gatewayBodyBytes.contains(options.bodyBytesMax) else {
                throw CommandFailure(.wrongUsage, "--max-body is 1B to 64MiB")
            }
            guard ConfigurationLimits.gatewayIdle.contains(options.patience) else {
                throw CommandFailure(.wrongUsage, "--idle is 1s to 1h")
            }
            let connections =
                command.maxConnections ?? settings.connectionsMax ?? options.connectionsMax
            guard ConfigurationLimits.gatewayConnections.contains(connections) else {
                throw CommandFailure(.wrongUsage, "--max-connections is 1 to 1000000")
            }
            options.connectionsMax = connections
        }

        /// Reads `HOST:PORT`, with an IPv6 address in brackets.
        static func place(_ text: String) throws(CommandFailure) -> (host: String, port: Int) {
            let wrong = CommandFailure(
                .wrongUsage,
                "--bind is HOST:PORT, such as 127.0.0.1:7480 or [::1]:7480, and not “\(text)”")
            guard let colon = text.lastIndex(of: ":"),
                let port = UInt16(text[text.index(after: colon)...])
            else { throw wrong }
            var host = text[..<colon]
            if host.hasPrefix("["), host.hasSuffix("]") {
                host = host.dropFirst().dropLast()
            } else if host.contains(":") {
                throw wrong
            }
            guard !host.isEmpty, !host.contains("/") else { throw wrong }
            return (String(host), Int(port))
        }

        private static func endpoints(
            _ list: String?, of file: ClusterConfiguration?
        ) throws -> [String] {
            if let list {
                return try list.split(separator: ",", omittingEmptySubsequences: false).map {
                    try GivenText(text: String($0.trimmed()), source: "--cluster")
                        .parsed { try EndpointText.typed($0).description }
                }
            }
            return file?.publisherAddresses.map(\.control) ?? [ClusterOptions.endpointDefault]
        }
    }

    /// Clients and pages that a gateway lets in beside the holders of its own tokens.
    struct GatewayStrangers: ParsableArguments {
        @Option(
            help: .value(
                "file",
                "A JWKS: JSON web tokens that its keys signed are admitted too; read again when "
                    + "it changes. With --jwt-audience."))
        var jwtKeys: String?

        @Option(help: .value("name", "What the aud of such a token has to name."))
        var jwtAudience: String?

        @Option(help: .value("name", "What its iss has to be."))
        var jwtIssuer: String?

        @Option(
            help: .value(
                "origin",
                "Pages of this origin may use the gateway, such as https://app.example; may be "
                    + "given again. * for all of them takes --tokens or --jwt-keys."))
        var allowOrigin: [String] = []

        /// What flags say, else the file; `nil`: none are taken.
        func webTokens(_ settings: GatewaySettings) throws(CommandFailure) -> WebTokenOptions? {
            let issuer = jwtIssuer ?? settings.jwtIssuer
            switch (jwtKeys ?? settings.jwtKeys, jwtAudience ?? settings.jwtAudience) {
            case (nil, nil) where issuer == nil: return nil
            case (.some(let file), .some(let audience)) where !audience.isEmpty:
                return WebTokenOptions(keysFile: file, audience: audience, issuer: issuer)
            default:
                throw CommandFailure(
                    .wrongUsage,
                    "--jwt-keys and --jwt-audience belong together, and --jwt-issuer to them: "
                        + "without an audience a token that is meant for another service would "
                        + "open this one")
            }
        }

        func origins(_ settings: GatewaySettings) throws(CommandFailure) -> AllowedOrigins {
            do throws(AllowedOrigins.Mistake) {
                return try AllowedOrigins(
                    allowOrigin.isEmpty ? settings.allowedOrigins : allowOrigin)
            } catch {
                throw CommandFailure(.wrongUsage, error.description)
            }
        }
    }
#endif
