/// Why the listener was not started: something has to be changed first.
package enum HealthStartError: Error, CustomStringConvertible {
    case cannotBind(host: String, port: Int, reason: String)
    case token(String)

    package var description: String {
        switch self {
        case .cannotBind(let host, let port, let reason):
            "\(host):\(port) cannot be listened on for HTTP: \(reason); choose another --http"
        case .token(let sentence): sentence
        }
    }
}
