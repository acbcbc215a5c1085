package import ZeroMQ

/// Who a process that listens is, and who may talk to it.
package struct AccessSettings: Sendable {
    package var keys: CurveKeyPair
    /// The file with the list of public keys.
    package var listFile: String
    /// Another key to be spoken to by, while those who know it move; `nil`: there is none.
    package var second: SecondKey?

    package init(keys: CurveKeyPair, listFile: String) {
        self.keys = keys
        self.listFile = listFile
    }
}
