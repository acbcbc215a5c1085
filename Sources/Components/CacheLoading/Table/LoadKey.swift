/// A key with its namespace, by the shard's number for it.
package struct LoadKey: Hashable, Sendable {
    package var namespace: UInt16
    package var bytes: [UInt8]

    package init(namespace: UInt16, bytes: [UInt8]) {
        self.namespace = namespace
        self.bytes = bytes
    }
}
