import AccessControl
import CacheLoading
import CacheModel

/// The files of a node's directory of secrets.
struct SecretFiles {
    let directory: String

    /// The text of a file, without line breaks at its end.
    func text(_ name: String) throws(OriginCredentialsError) -> String {
        var bytes = try contents(name, bytesMax: OriginRequestLimits.fieldBytesMax)
        while let last = bytes.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") {
            bytes.removeLast()
        }
        guard !bytes.isEmpty else {
            throw .fileUnreadable(path: path(name), reason: "it is empty")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .fileUnreadable(path: path(name), reason: "it is not UTF-8")
        }
        return text
    }

    /// What the files for TLS hold; `nil` if none is named.
    func trust(_ names: OriginTLS?) throws(OriginCredentialsError) -> OriginTrust? {
        guard let names else { return nil }
        var trust = OriginTrust()
        if let name = names.authority { trust.authority = try certificates(name) }
        if let name = names.certificate { trust.certificate = try certificates(name) }
        if let name = names.key { trust.key = try certificates(name) }
        return trust
    }

    private func certificates(_ name: String) throws(OriginCredentialsError) -> [UInt8] {
        try contents(name, bytesMax: OriginRequestLimits.certificateBytesMax)
    }

    private func contents(
        _ name: String, bytesMax: Int
    ) throws(OriginCredentialsError) -> [UInt8] {
        do throws(OpenedFile.Problem) {
            return try OpenedFile.contents(of: path(name), bytesMax: bytesMax, isSecret: false)
        } catch {
            throw .fileUnreadable(path: path(name), reason: error.reason)
        }
    }

    private func path(_ name: String) -> String { directory + "/" + name }
}
