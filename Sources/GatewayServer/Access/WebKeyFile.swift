import AccessControl
import CacheHTTP
import Foundation

/// The file that keys of web tokens stand in.
enum WebKeyFile {
    /// - Throws: why it cannot be read. Nothing that has no end is opened.
    static func read(_ path: String) throws(WebToken.Damage) -> [UInt8] {
        guard let manners = FileManners(path) else {
            throw WebToken.Damage("it is not there, or may not be looked at")
        }
        guard manners.isOrdinary, manners.bytes <= WebKey.fileBytesMax else {
            throw WebToken.Damage("it is no file of at most \(WebKey.fileBytesMax) bytes")
        }
        do {
            return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw WebToken.Damage("it cannot be read: \(error.localizedDescription)")
        }
    }

    /// Of a file with secrets: whoever reads it makes tokens.
    static func checkMode(of path: String) throws(WebToken.Damage) {
        guard let manners = FileManners(path), manners.isOpen else { return }
        throw WebToken.Damage(
            "it holds a secret (oct) and may be read by others (mode "
                + "\(String(manners.mode, radix: 8))), who could make tokens: chmod 600 it")
    }
}
