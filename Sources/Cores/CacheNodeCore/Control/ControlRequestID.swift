/// The request ids of the control connection: the kind of request is in the top byte, so that the
/// id of an ERROR alone identifies the request.
enum ControlRequestID {
    enum Kind: UInt8 {
        case hello = 1
        case resume, ping, config, topology, publish, unanswered, head, floors
    }

    private static let numberBits: UInt64 = 56

    static func make(_ kind: Kind, number: UInt64) -> UInt64 {
        UInt64(kind.rawValue) << numberBits | number & (1 << numberBits - 1)
    }

    /// The number that an id was made with, modulo 2^56.
    static func number(of requestID: UInt64) -> UInt64 {
        requestID & (1 << numberBits - 1)
    }

    /// - Returns: `nil` for an id that was not made here.
    static func kind(of requestID: UInt64) -> Kind? {
        Kind(rawValue: UInt8(requestID >> numberBits))
    }
}
