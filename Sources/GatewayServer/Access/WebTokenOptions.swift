/// The JSON web tokens that are taken.
package struct WebTokenOptions: Hashable, Sendable {
    /// A JWKS.
    package var keysFile: String
    /// What `aud` has to name.
    package var audience: String
    /// What `iss` has to be; `nil`: any issuer with a key in the file.
    package var issuer: String?

    package init(keysFile: String, audience: String, issuer: String? = nil) {
        self.keysFile = keysFile
        self.audience = audience
        self.issuer = issuer
    }
}
