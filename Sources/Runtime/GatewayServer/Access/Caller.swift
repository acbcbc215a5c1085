import CacheAccess
import CacheHTTP
import CacheModel

/// The client that sent a request, and its rights.
enum Caller: Sendable {
    /// Any client of a gateway without tokens: it may do everything.
    case anybody
    /// The holder of a token.
    case holder(AccessEntry)

    /// - Throws: ``ProblemKind/forbidden``. Decided before any lookup, so that the answer does not
    ///   reveal whether an entry exists.
    func check(_ wanted: AccessRights, _ scope: Scope) throws(Problem) {
        guard case .holder(let entry) = self, !entry.may(wanted, with: scope) else { return }
        throw Self.forbidden(entry, wanted)
    }

    /// Whether the client has these rights on everything.
    func checkEverywhere(_ wanted: AccessRights) throws(Problem) {
        guard case .holder(let entry) = self, entry.rights.isDisjoint(with: wanted) else { return }
        throw Self.forbidden(entry, wanted)
    }

    private static func forbidden(_ entry: AccessEntry, _ wanted: AccessRights) -> Problem {
        let roles = "\(wanted)".replacing(",", with: " or ")
        return Problem(
            .forbidden,
            "the token of \(entry.name) may not do this with all that is asked for: it takes the "
                + "role \(roles), for these keys, and for tags and namespaces the whole namespace")
    }
}
