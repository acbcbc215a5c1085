import AccessControl
import CacheHTTP

/// The file of web token keys, as it was when it was opened.
struct WebKeyFile {
    let bytes: [UInt8]
    private let isOpen: Bool
    private let mode: UInt32

    /// - Throws: why it cannot be read. Files without an end are not read.
    init(_ path: String) throws(WebToken.Damage) {
        let bytes: [UInt8]?
        do throws(OpenedFile.Failure) {
            let file = try OpenedFile(path)
            (isOpen, mode) = (file.isOpen, file.mode)
            bytes = file.isOrdinary ? try file.contents(bytesMax: WebKey.fileBytesMax) : nil
        } catch {
            throw WebToken.Damage("it cannot be read: \(error.reason)")
        }
        guard let bytes else {
            throw WebToken.Damage("it is no file of at most \(WebKey.fileBytesMax) bytes")
        }
        self.bytes = bytes
    }

    /// Refuses a file with a secret that other users may read: they could make tokens.
    func checkMode() throws(WebToken.Damage) {
        guard isOpen else { return }
        throw WebToken.Damage(
            "it holds a secret (oct) and may be read by others (mode "
                + "\(String(mode, radix: 8))), so tokens can be forged: chmod 600 it")
    }
}
