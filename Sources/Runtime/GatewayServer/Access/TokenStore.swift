import AccessControl
package import ByteCoding
import CacheAccess
import CacheHTTP
import Cryptography
import Logging
import Threading
import EssentialFoundation

/// The rights of tokens at the gateway: the list in force, read at intervals.
///
/// An invalid list changes nothing: the last valid one stays in force, and the log reports the
/// problem.
final class TokenStore: WatchedFile {
    private let list: Guarded<AccessList>
    private let watch: Guarded<Watch>

    /// The file, and whether its contents were refused since they were read.
    private struct Watch: Sendable {
        var file: ListFile
        var isRefused = false
    }

    /// - Throws: ``GatewayStartError`` if the list cannot be used.
    init(_ path: String) throws(GatewayStartError) {
        var file = ListFile(path, isSecret: true)
        do throws(AccessControlError) {
            list = Guarded(try file.read() ?? .empty)
        } catch {
            throw .tokens(error)
        }
        watch = Guarded(Watch(file: file))
        try Self.check(list.withLock { $0 })
    }

    /// The holder of a token; `nil`: the token is not in the list, or not in force.
    func entry(of token: String) -> AccessEntry? {
        guard token.utf8.count <= GatewayLimits.tokenBytesMax else { return nil }
        let hash = TokenHash.hash(token)
        guard let entry = list.withLock({ $0.entry(of: hash) }),
            entry.isInForce(at: Int(Date().timeIntervalSince1970))
        else { return nil }
        return entry
    }

    /// Whether the grant of an admitted token is still valid.
    func holds(_ entry: AccessEntry) -> Bool {
        list.withLock({ $0.entry(of: entry.key) }) == entry
            && entry.isInForce(at: Int(Date().timeIntervalSince1970))
    }

    func look(_ logger: Logger) {
        watch.withLock { watch in
            do throws(AccessControlError) {
                if let new = try watch.file.read() {
                    watch.isRefused = !adopt(new, logger)
                } else if watch.file.isWellAgain(), !watch.isRefused {
                    logger.info("the list of tokens is right again")
                }
            } catch {
                if watch.file.isNews(error) {
                    logger.error("the last right list of tokens stays in force: \(error)")
                }
            }
        }
    }

    /// - Returns: whether it is in force now.
    private func adopt(_ new: AccessList, _ logger: Logger) -> Bool {
        do throws(GatewayStartError) {
            try Self.check(new)
        } catch {
            logger.error("the last right list of tokens stays in force: \(error)")
            return false
        }
        list.withLock { $0 = new }
        logger.info("\(new.entries.count) tokens are in force")
        return true
    }

    /// Refuses a list with an effect that would differ from its text.
    private static func check(_ list: AccessList) throws(GatewayStartError) {
        for entry in list.entries {
            guard entry.rights.isDisjoint(with: [.node, .relay]) else {
                throw .tokenForProcess(name: entry.name)
            }
            guard entry.allowance == .unlimited else {
                throw .tokenWithAllowance(name: entry.name)
            }
        }
    }
}

/// The SHA-256 of a token. The list of tokens has it in the place where a list of keys has a key,
/// in the same 64 digits, so that both have the same grammar and neither contains a secret.
package enum TokenHash {
    package static func hash(_ token: String) -> PublicKey {
        guard let hash = PublicKey(bytes: SHA2.sha256.digest(of: Array(token.utf8))) else {
            preconditionFailure("SHA-256 has 32 bytes")
        }
        return hash
    }
}
