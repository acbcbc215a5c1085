package import ZeroMQ

/// The keys of a listening process, and its access control list.
package struct AccessSettings: Sendable {
    package var keys: CurveKeyPair
    /// The file with the list of public keys.
    package var listFile: String
    /// A second key for its clients, while they move from one key to another; `nil`: there is none.
    package var second: SecondKey?

    package init(keys: CurveKeyPair, listFile: String) {
        self.keys = keys
        self.listFile = listFile
    }
}
