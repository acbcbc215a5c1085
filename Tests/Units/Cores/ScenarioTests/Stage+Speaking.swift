import ByteCoding
import CacheModel
import CacheWire

/// The lines of a script.
extension Stage {
    func get(
        _ node: Int, _ key: String, _ options: GetOperation.Options = [],
        atLeast: LogPosition? = nil
    ) -> Outcome? {
        ask(node, .get, atLeast: atLeast) { writer in
            Array(key.utf8).withUnsafeBytes {
                GetOperation.append(key: $0, options: options, to: &writer)
            }
        }
    }

    /// A miss that gives the right to load.
    func token(_ node: Int, _ key: String) -> FillToken? { get(node, key, .token)?.token }

    func set(
        _ node: Int, _ key: String, _ value: String,
        _ description: SetOperation.Description = .init(), atLeast: LogPosition? = nil
    ) -> Outcome? {
        ask(node, .set, atLeast: atLeast) { writer in
            Array(key.utf8).withUnsafeBytes { key in
                Array(value.utf8).withUnsafeBytes { value in
                    SetOperation.append(key: key, value: value, description, to: &writer)
                }
            }
        }
    }

    /// Stores what was loaded under a token.
    func fill(
        _ node: Int, _ key: String, _ value: String, _ token: FillToken?, tags: [String] = []
    ) -> Outcome? {
        var description = SetOperation.Description(tags: tags.compactMap { Tag($0) })
        description.token = token
        return set(node, key, value, description)
    }

    /// The same with the version that the origin tells.
    func fill(
        _ node: Int, _ key: String, _ value: String, _ token: FillToken?, version: UInt64
    ) -> Outcome? {
        var description = SetOperation.Description(version: Version(version))
        description.token = token
        return set(node, key, value, description)
    }

    /// Loads a key on a node, undisturbed.
    @discardableResult
    func load(_ node: Int, _ key: String, _ value: String, tags: [String] = []) -> Outcome? {
        fill(node, key, value, token(node, key), tags: tags)
    }

    /// Invalidates and waits as long as it takes.
    @discardableResult
    func invalidate(
        _ scopes: Scope..., strength: InvalidationRecord.Strength = .hard, wait: WaitMode = .all
    ) -> Receipt? {
        receipt(beginInvalidation(scopes, strength: strength, wait: wait))
    }
}

extension Scope {
    static func key(_ text: String, minimumVersion: UInt64? = nil) -> Scope {
        guard let key = CacheKey(text) else { preconditionFailure("\(text) is no key") }
        return Scope(.key(key, in: .default), minimumVersion: minimumVersion.map { Version($0) })
    }

    static func tag(_ text: String) -> Scope {
        guard let tag = Tag(text) else { preconditionFailure("\(text) is no tag") }
        return Scope(.tag(tag, in: .default))
    }

    static func prefix(_ text: String) -> Scope {
        Scope(.prefix(Array(text.utf8), in: .default))
    }
}
