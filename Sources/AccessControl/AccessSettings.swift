package import ZeroMQ

/// Who a process that listens is, and who may talk to it.
package struct AccessSettings: Sendable {
    package var keys: CurveKeyPair
    /// The file with the list of public keys.
    package var listFile: String

    package init(keys: CurveKeyPair, listFile: String) {
        self.keys = keys
        self.listFile = listFile
    }
}
