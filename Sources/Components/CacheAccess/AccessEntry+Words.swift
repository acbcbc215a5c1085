package import ByteCoding

extension AccessEntry {
    /// The entry of a holder that is admitted without a line of the list, with the same words.
    ///
    /// - Parameters:
    ///   - name: for logs; an invalid name is replaced by `somebody`.
    ///   - roles: as the list has them between commas. `node` and `relay` are for processes.
    ///   - patterns: the same; none is nothing.
    /// - Throws: the first word that is wrong.
    package init(
        called name: String, _ key: PublicKey, roles: [String], patterns: [String],
        until endsAt: Int
    ) throws(AccessListProblem.Reason) {
        var rights: AccessRights = []
        for role in roles {
            guard let known = AccessRights(role: role), known.isDisjoint(with: [.node, .relay])
            else {
                throw .role(AccessName.shown(role[...]))
            }
            rights.formUnion(known)
        }
        guard !rights.isEmpty else { throw .noRole }
        var reaches: [KeyPattern] = []
        for pattern in patterns { reaches.append(try KeyPattern(pattern[...])) }
        self.init(
            (Self.isName(name) ? name : "somebody", key), rights, reaches, until: endsAt,
            .unlimited)
    }
}
