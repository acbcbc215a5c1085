/// Why a namespace's origin cannot be asked as it is configured.
enum OriginCredentialsError: Error, CustomStringConvertible {
    case variableMissing(header: String)
    /// - Parameter reason: what the system says.
    case fileUnreadable(path: String, reason: String)
    case trustUnusable(String)

    var description: String {
        switch self {
        case .variableMissing(let header):
            "a variable that its header \(header) names is not in this process's environment, or "
                + "it or a file holds what cannot stand in a header"
        case .fileUnreadable(let path, let reason):
            "its file \(path) cannot be used (\(reason)): put it there so that this process may "
                + "read it, or name another directory by --secrets-directory"
        case .trustUnusable(let problem): problem
        }
    }
}
