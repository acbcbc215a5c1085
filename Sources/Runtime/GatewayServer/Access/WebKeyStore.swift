import AccessControl
import ByteCoding
import CacheAccess
import CacheHTTP
import EssentialFoundation
import Logging
import Threading

/// The keys of accepted web tokens: the file in force, read at intervals.
///
/// An invalid file changes nothing: the last valid one stays in force, and the log reports the
/// problem. Removing a key from the file revokes the tokens that it has signed, and ends the
/// streams that they began.
final class WebKeyStore: WatchedFile {
    private struct State: Sendable {
        var verifiers: [String: WebKeyVerifier] = [:]
        var bytes: [UInt8] = []
        var hasSecret = false
    }

    private let options: WebTokenOptions
    private let state = Guarded(State())
    private let problem = FileProblem(
        kept: "the last right keys of web tokens stay in force",
        over: "the keys of web tokens are right again")

    /// Reads the file.
    ///
    /// - Parameter logger: logs which keys are skipped.
    /// - Throws: ``GatewayStartError`` if it cannot be used.
    init(_ options: WebTokenOptions, _ logger: Logger) throws(GatewayStartError) {
        self.options = options
        do throws(WebToken.Damage) {
            try adopt(try WebKeyFile(options.keysFile), logger)
        } catch {
            throw .webKeys(file: options.keysFile, reason: error.sentence)
        }
    }

    private func adopt(_ file: WebKeyFile, _ logger: Logger) throws(WebToken.Damage) {
        let (keys, passedOver) = try WebKey.set(file.bytes)
        let hasSecret = keys.contains(where: \.isSecret)
        if hasSecret { try file.checkMode() }
        var verifiers: [String: WebKeyVerifier] = [:]
        for key in keys { verifiers[key.id] = try WebKeyVerifier(key) }
        state.withLock { [verifiers] state in
            state.verifiers = verifiers
            state.bytes = file.bytes
            state.hasSecret = hasSecret
        }
        if !passedOver.isEmpty {
            logger.notice(
                "keys of web tokens are passed over: \(passedOver.joined(separator: "; "))")
        }
    }

    /// The identity and rights of a token.
    ///
    /// - Throws: the defect of the token.
    func entry(of text: String) throws(WebToken.Damage) -> AccessEntry {
        guard text.utf8.count <= GatewayLimits.tokenBytesMax else {
            throw WebToken.Damage("a token has at most \(GatewayLimits.tokenBytesMax) bytes")
        }
        let token = try WebToken(text)
        guard let verifier = state.withLock({ $0.verifiers[token.keyID] }) else {
            throw WebToken.Damage("no key that is known here has the token's kid")
        }
        // The algorithm in a token's header is not trusted: with a public key taken for a secret,
        // every client could sign.
        guard token.algorithm == verifier.key.algorithm else {
            throw WebToken.Damage("the token's alg is not that of its key")
        }
        guard verifier.isRight(token) else {
            throw WebToken.Damage("the token's signature is not right")
        }
        let claims = try WebClaims(
            token,
            WebClaims.Terms(
                issuer: options.issuer, audience: options.audience, secondsSince1970: Self.now))
        do throws(AccessListProblem.Reason) {
            return try AccessEntry(
                called: claims.subject, verifier.identity, roles: claims.roles,
                patterns: claims.patterns, until: claims.endsAt)
        } catch {
            throw WebToken.Damage(
                "the token's roles or patterns: \(error.sentence)", isAboutRights: true)
        }
    }

    /// Whether the grant of an admitted token is still valid: its time, and its key.
    func holds(_ entry: AccessEntry) -> Bool {
        entry.isInForce(at: Self.now)
            && state.withLock { $0.verifiers.values.contains { $0.identity == entry.key } }
    }

    private static var now: Int { Int(Date().timeIntervalSince1970) }

    // MARK: The file

    func look(_ logger: Logger) {
        do throws(WebToken.Damage) {
            let file = try WebKeyFile(options.keysFile)
            guard file.bytes != state.withLock({ $0.bytes }) else {
                if state.withLock({ $0.hasSecret }) { try file.checkMode() }
                return problem.note(nil, logger)
            }
            try adopt(file, logger)
            logger.info("\(state.withLock { $0.verifiers.count }) keys of web tokens are in force")
            problem.note(nil, logger)
        } catch {
            problem.note("\(options.keysFile): \(error.sentence)", logger)
        }
    }
}

/// The file of web token keys, as it was when it was opened.
struct WebKeyFile {
    let bytes: [UInt8]
    private let isOpen: Bool
    private let mode: UInt32

    /// - Throws: why it cannot be read. Files without an end are not read.
    init(_ path: String) throws(WebToken.Damage) {
        do throws(OpenedFile.Problem) {
            let file = try OpenedFile(path)
            (isOpen, mode) = (file.isOpen, file.mode)
            bytes = try file.contents(bytesMax: WebKey.fileBytesMax)
        } catch {
            switch error {
            case .noFile, .tooLong:
                throw WebToken.Damage("it is no file of at most \(WebKey.fileBytesMax) bytes")
            case .failed, .open: throw WebToken.Damage("it cannot be read: \(error.reason)")
            }
        }
    }

    /// Refuses a file with a secret that other users may read: they could make tokens.
    func checkMode() throws(WebToken.Damage) {
        guard isOpen else { return }
        throw WebToken.Damage(
            "it holds a secret (oct) and may be read by others (mode "
                + "\(String(mode, radix: 8))), so tokens can be forged: chmod 600 it")
    }
}
