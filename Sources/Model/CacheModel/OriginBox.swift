/// An origin's policy behind a reference: namespace policies are copied at every store, and most
/// have none.
final class OriginBox: Hashable, Sendable {
    let policy: OriginPolicy

    init(_ policy: OriginPolicy) {
        self.policy = policy
    }

    static func == (left: OriginBox, right: OriginBox) -> Bool {
        left === right || left.policy == right.policy
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(policy)
    }
}
