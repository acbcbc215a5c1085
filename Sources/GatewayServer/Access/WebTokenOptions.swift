/// Whose JSON web tokens are taken.
package struct WebTokenOptions: Hashable, Sendable {
    /// A JWKS.
    package var keysFile: String
    /// What `aud` has to name.
    package var audience: String
    /// What `iss` has to be; `nil`: anybody whose key is in the file.
    package var issuer: String?

    package init(keysFile: String, audience: String, issuer: String? = nil) {
        self.keysFile = keysFile
        self.audience = audience
        self.issuer = issuer
    }
}
