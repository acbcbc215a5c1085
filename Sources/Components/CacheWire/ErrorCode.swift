/// Why a whole message is refused. The numbers are on the wire.
public enum ErrorCode: UInt16, CaseIterable, Sendable {
    case malformed = 1
    case unsupportedVersion = 2
    case unknownType = 3
    case unknownCriticalField = 4
    case outOfRange = 5
    case wrongStream = 6
    case unsupported = 7
    case unauthorised = 8
    case busy = 9
    case notRegistered = 10
    case unavailable = 11
    case leased = 12
    case wrongCluster = 13
}
