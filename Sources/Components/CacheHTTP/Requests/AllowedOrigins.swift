/// Which pages of other origins may use the gateway: the flag `--allow-origin`, and what browsers
/// are told because of it (the Fetch standard, CORS).
package struct AllowedOrigins: Hashable, Sendable {
    /// Of a flag: what it is, and what to write.
    package struct Mistake: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// No origin.
    package static let none = AllowedOrigins()

    /// Whether pages of everywhere may: `*`.
    package private(set) var isAnyone = false
    private var exact: Set<String> = []

    private init() {}

    /// - Throws: for what no browser would send as its Origin.
    package init(_ texts: [String]) throws(Mistake) {
        for text in texts {
            guard text != "*" else {
                isAnyone = true
                continue
            }
            guard Self.isOrigin(text) else {
                throw Mistake(
                    description: "--allow-origin \(text.prefix(100)): an origin is http:// or "
                        + "https://, a host in small letters and, where it is not the usual one, "
                        + "a port, without a slash behind it; or * for all")
            }
            exact.insert(text)
        }
    }

    /// Whether there is none; with some, answers may differ with the page that asks.
    package var isEmpty: Bool { !isAnyone && exact.isEmpty }

    /// Whether a page of that origin may. `null`, which many pages share, is one by `*` alone.
    package func allows(_ origin: String) -> Bool { isAnyone || exact.contains(origin) }

    private static func isOrigin(_ text: String) -> Bool {
        guard let scheme = ["http://", "https://"].first(where: { text.hasPrefix($0) }) else {
            return false
        }
        let host = text.dropFirst(scheme.count)
        let port = host.last == "]" ? nil : host.lastIndex(of: ":").map { host[$0...].dropFirst() }
        if let port {
            let isUsual = scheme == "http://" ? port == "80" : port == "443"
            guard let number = UInt16(port), "\(number)" == port, !isUsual else { return false }
        }
        let name = port.map { host.dropLast($0.count + 1) } ?? host
        return !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "["),
                    UInt8(ascii: "]"), UInt8(ascii: ":"):
                    true
                default: false
                }
            }
    }
}
