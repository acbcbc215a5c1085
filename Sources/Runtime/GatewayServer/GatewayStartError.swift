package import AccessControl
package import MartletClient

/// Why a gateway does not start.
package enum GatewayStartError: Error, CustomStringConvertible {
    case client(CacheError)
    case certificate(file: String, reason: String)
    case keyReadableByOthers(String, mode: UInt32)
    case tokens(AccessControlError)
    case webKeys(file: String, reason: String)
    /// Pages of all origins are allowed, and no client is asked for a token.
    case anyOriginWithoutTokens
    case tokenForProcess(name: String)
    case tokenWithAllowance(name: String)
    case listening(place: String, reason: String, isInUse: Bool)

    /// One sentence: what is wrong, and what to do.
    package var description: String {
        switch self {
        case .client(let error): error.message
        case .certificate(let file, let reason):
            "\(file) cannot be used (\(reason)): name files of PEM, the certificate with its chain "
                + "as --tls-certificate and its private key as --tls-key"
        case .keyReadableByOthers(let path, let mode):
            "\(path) is a private key and may be read by others (mode "
                + "\(String(mode, radix: 8))), so this gateway can be impersonated: "
                + "chmod 600 \(path)"
        case .tokens(let error): "--tokens: \(error)"
        case .webKeys(let file, let reason): "--jwt-keys \(file): \(reason)"
        case .anyOriginWithoutTokens:
            "--allow-origin * lets every page in a browser on this machine read and change "
                + "everything: give --tokens or --jwt-keys too, or name the origins"
        case .tokenForProcess(let name):
            "\(name) in the list of tokens has the role node or relay: those are for processes "
                + "with keys, and tokens have read, write, invalidate, metrics and admin"
        case .tokenWithAllowance(let name):
            "\(name) in the list of tokens has ops=, bytes= or waiting=: the gateway does not "
                + "count them; leave them out, and give the gateway's own key an allowance in the "
                + "cluster's list"
        case .listening(let place, _, isInUse: true):
            "\(place) is in use: choose another --bind, or stop what listens there"
        case .listening(let place, let reason, isInUse: false):
            "\(place) cannot be listened on: \(reason)"
        }
    }
}
