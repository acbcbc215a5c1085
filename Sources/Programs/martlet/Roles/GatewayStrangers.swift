#if Web
    import ArgumentParser
    import CacheConfiguration
    import CacheHTTP
    import CommandSurface
    import GatewayServer

    /// Clients and pages that a gateway lets in beside the holders of its own tokens.
    struct GatewayStrangers: ParsableArguments {
        @Option(
            help: ArgumentHelp(
                "A JWKS: JSON web tokens that its keys signed are admitted too; read again when "
                    + "it changes. With --jwt-audience.",
                valueName: "file"))
        var jwtKeys: String?

        @Option(
            help: ArgumentHelp("What the aud of such a token has to name.", valueName: "name"))
        var jwtAudience: String?

        @Option(help: ArgumentHelp("What its iss has to be.", valueName: "name"))
        var jwtIssuer: String?

        @Option(
            help: ArgumentHelp(
                "Pages of this origin may use the gateway, such as https://app.example; may be "
                    + "given again. * for all of them takes --tokens or --jwt-keys.",
                valueName: "origin"))
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
