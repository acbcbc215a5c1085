/// The sentences of a refusal for a missing right: they name the right, and do not tell whether an
/// entry exists. Constants, so that refusing costs nothing.
package enum AccessDenial {
    package static let unlisted: StaticString =
        "your key is not, or no longer, in the list of the process that you ask"
    package static let read: StaticString =
        "your key may not read all that you ask for: it takes the role read, for these keys"
    package static let write: StaticString =
        "your key may not write all of these keys: it takes the role write, for these keys"
    package static let remove: StaticString = """
        your key may not remove all of these keys: it takes the role write or invalidate, \
        for these keys
        """
    package static let removeAtOrigin: StaticString = """
        these keys would be removed at their origin, too: it takes the role write, for these \
        keys; with the role invalidate they can be invalidated
        """
    package static let forward: StaticString =
        "your key may not forward the writes of another node: it takes the role node"
    package static let invalidate: StaticString = """
        your key may not invalidate all of that: it takes the role invalidate, and for tags and \
        namespaces the whole namespace
        """
    package static let count: StaticString = """
        your key may not count all of that: it takes the role read or invalidate, and for tags \
        and namespaces the whole namespace
        """
    package static let receipts: StaticString =
        "your key may not ask for receipts: it takes the role invalidate"
    package static let figures: StaticString =
        "your key may not ask for figures: it takes the role metrics"
    package static let administer: StaticString =
        "your key may not do that to nodes: it takes the role admin with the pattern *"
    package static let queue: StaticString =
        "your key may not see to these queued writes: it takes the role admin, for these keys"
    package static let follow: StaticString = """
        your key may not follow all invalidations: it takes the role node or relay, or read for \
        everything
        """
    package static let watch: StaticString =
        "your key may not follow invalidations: it takes the role read, and shows what that covers"
    package static let node: StaticString = """
        your key does not speak for this node: it takes the role node, in an entry of the node's \
        own name
        """

    /// The role that a refusal with this sentence calls missing, in the list's words; for the audit
    /// log.
    package static func missing(_ sentence: String) -> String {
        roles.first { $0.sentence.description == sentence }?.role ?? "unknown"
    }

    private static let roles: [(sentence: StaticString, role: String)] = [
        (unlisted, "entry"), (read, "read"), (write, "write"), (remove, "write or invalidate"),
        (removeAtOrigin, "write"),
        (invalidate, "invalidate"), (count, "read or invalidate"), (receipts, "invalidate"),
        (figures, "metrics"), (forward, "node"), (administer, "admin"), (queue, "admin"),
        (follow, "node, relay or read"), (watch, "read"), (node, "node"),
    ]
}
