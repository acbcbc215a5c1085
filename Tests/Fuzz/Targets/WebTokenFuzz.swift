import ByteCoding

@testable import CacheAccess
@testable import CacheHTTP

/// JSON web tokens and files of keys. What a token says is read of what was signed and of nothing
/// else; a key is what its file says.
///
///     kind 1; of tokens: header's run, payload's run, signature; else bytes
enum WebTokenFuzz: FuzzTarget {
    static let name = "web-token"

    private static let now = 1_700_000_000
    private static let hash: PublicKey = {
        guard let key = PublicKey(bytes: [UInt8](repeating: 7, count: 32)) else {
            fatalError("32 bytes are a key")
        }
        return key
    }()

    static func take(_ input: UnsafeRawBufferPointer) {
        var script = Script(input)
        switch script.below(3) {
        case 0:
            let parts = [script.run(), script.run(), script.restCopied()]
            let text = parts.map(urlText).joined(separator: ".")
            check(WebToken.isMeant(by: text), "it looks like one")
            read(text)
        case 1: read(String(decoding: script.rest(), as: UTF8.self))
        default: keys(script.restCopied())
        }
    }

    private static func urlText(_ bytes: [UInt8]) -> String {
        Base64Text.text(of: bytes).replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }

    private static func read(_ text: String) {
        do throws(WebToken.Damage) {
            let token = try WebToken(text)
            check(token.algorithm.rawValue != "none", "something is signed")
            check(text.utf8.starts(with: token.signed), "what is signed was sent")
            let terms = WebClaims.Terms(issuer: nil, audience: "martlet", secondsSince1970: now)
            let claims = try WebClaims(token, terms)
            check(claims.endsAt > now, "it holds now")
            let others = WebClaims.Terms(
                issuer: "somebody", audience: "elsewhere", secondsSince1970: claims.endsAt)
            check(!holds(token, others), "it does not hold when its time is over")
            grant(claims)
        } catch {
            check(!error.sentence.isEmpty, "a damage can be said")
        }
    }

    private static func holds(_ token: WebToken, _ terms: WebClaims.Terms) -> Bool {
        do throws(WebToken.Damage) {
            _ = try WebClaims(token, terms)
            return true
        } catch {
            return false
        }
    }

    private static func grant(_ claims: WebClaims) {
        do throws(AccessListProblem.Reason) {
            let entry = try AccessEntry(
                called: claims.subject, hash, roles: claims.roles, patterns: claims.patterns,
                until: claims.endsAt)
            check(entry.rights.isDisjoint(with: [.node, .relay]), "a token is no process")
            check(!entry.isInForce(at: claims.endsAt), "a token ends")
        } catch {
            check(!"\(error)".isEmpty, "a word can be said")
        }
    }

    private static func keys(_ bytes: [UInt8]) {
        do throws(WebToken.Damage) {
            let keys = try WebKey.set(bytes).keys
            check((1...WebKey.countMax).contains(keys.count), "keys have their bound")
            check(Set(keys.map(\.id)).count == keys.count, "each has a name of its own")
            for key in keys {
                if case .secret(let bytes) = key.material {
                    check(bytes.count >= key.algorithm.secretBytesMin, "a secret is long enough")
                    check(key.algorithm.keyType == "oct", "a secret is for secrets")
                }
            }
        } catch {
            check(!error.sentence.isEmpty, "a damage can be said")
        }
    }
}
