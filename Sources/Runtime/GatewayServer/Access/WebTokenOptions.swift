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
