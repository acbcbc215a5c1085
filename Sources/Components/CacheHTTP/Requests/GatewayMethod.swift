/// A method that some resource of the gateway has. Names are case-sensitive.
package enum GatewayMethod: String, CaseIterable, Sendable {
    case get = "GET"
    case head = "HEAD"
    case put = "PUT"
    case delete = "DELETE"
    case post = "POST"
    /// Not of any RFC, and what proxies have spoken for twenty years.
    case purge = "PURGE"

    /// Whether it changes nothing.
    package var isSafe: Bool { self == .get || self == .head }
}
