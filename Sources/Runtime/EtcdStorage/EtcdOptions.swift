/// Where etcd is, and how a client shows its identity.
package struct EtcdOptions: Hashable, Sendable {
    /// Of the members: `http://HOST:PORT` or `https://HOST:PORT`; one that does not answer is
    /// followed by the next.
    package var endpoints: [String]
    /// `nil`: etcd's authentication is off, or the certificate shows the identity.
    package var user: String?
    package var password = ""
    /// PEM: the authorities that sign the members' certificates; `nil`: the system's.
    package var authority: [UInt8]?
    /// PEM: the own certificate and its key; `nil`: none is shown.
    package var certificate: [UInt8]?
    package var key: [UInt8]?
    /// Longest time for one request.
    package var requestTime = EtcdLimits.requestTime

    package init(endpoints: [String]) { self.endpoints = endpoints }
}

/// Why no client can be made.
package enum EtcdError: Error, Hashable, CustomStringConvertible {
    case noEndpoint
    case notAnEndpoint(String)
    case trustUnusable(reason: String)
    /// This program was built without HTTP.
    case notBuilt

    package var description: String {
        switch self {
        case .noEndpoint: "no endpoint of etcd is named"
        case .notAnEndpoint(let text):
            "\(text) is no endpoint of etcd: it has the form http://HOST:PORT or https://HOST:PORT"
        case .trustUnusable(let reason):
            "no connection to etcd can be opened with these certificates: \(reason)"
        case .notBuilt:
            "this program was built without HTTP, which a log on etcd needs; build it with the "
                + "trait Web"
        }
    }
}
