import CacheAccess
import CacheHTTP
import Logging
import Threading

/// Admits clients: by a line of the list of tokens, or by a web token signed with a known key.
struct TokenAuthenticator: Sendable {
    /// `nil`: there is no list.
    let list: TokenStore?
    /// `nil`: there are no web tokens.
    let webKeys: WebKeyStore?

    /// `nil` if neither is configured, so that no client is asked for a token.
    init?(list: TokenStore?, webKeys: WebKeyStore?) {
        guard list != nil || webKeys != nil else { return nil }
        self.list = list
        self.webKeys = webKeys
    }

    /// The holder of a token.
    ///
    /// - Throws: ``ProblemKind/unauthenticated``, or ``ProblemKind/forbidden`` for a valid token
    ///   without rights; with a text for the client.
    func entry(of token: String) throws(Problem) -> AccessEntry {
        if let entry = list?.entry(of: token) { return entry }
        guard let webKeys, WebToken.isMeant(by: token) else {
            throw BearerToken.invalid("this token is not in the list, or not any more")
        }
        do throws(WebToken.Damage) {
            return try webKeys.entry(of: token)
        } catch {
            guard !error.isAboutRights else { throw Problem(.forbidden, error.sentence) }
            throw BearerToken.invalid(error.sentence)
        }
    }

    /// Whether the grant of an admitted token is still valid.
    func holds(_ entry: AccessEntry) -> Bool {
        list?.holds(entry) == true || webKeys?.holds(entry) == true
    }

    /// Watches both files until the task is cancelled.
    func follow(_ logger: Logger) async {
        await withDiscardingTaskGroup { group in
            if let list { group.addTask { await list.follow(logger) } }
            if let webKeys { group.addTask { await webKeys.follow(logger) } }
        }
    }
}

/// A file that is read at intervals. An invalid one changes nothing: the last valid one stays in
/// force.
protocol WatchedFile: Sendable {
    /// Applies changes of the file.
    func look(_ logger: Logger)
}

extension WatchedFile {
    /// Watches the file until the task is cancelled.
    func follow(_ logger: Logger) async {
        guard !Task.isCancelled else { return }
        repeat { look(logger) } while await Task.slept(for: GatewayLimits.lookInterval)
    }
}

/// Logs each problem of a file once, and its end.
final class FileProblem: Sendable {
    private let kept: String
    private let over: String
    private let last = Guarded("")

    /// - Parameters:
    ///   - kept: message that the last valid file stays in force.
    ///   - over: message that the file is valid again.
    init(kept: String, over: String) { (self.kept, self.over) = (kept, over) }

    /// - Parameter problem: `nil`: the file is valid.
    func note(_ problem: String?, _ logger: Logger) {
        let former = last.withLock { last in
            defer { last = problem ?? "" }
            return last
        }
        guard former != problem ?? "" else { return }
        if let problem {
            logger.error("\(kept): \(problem)")
        } else {
            logger.info("\(over)")
        }
    }
}
