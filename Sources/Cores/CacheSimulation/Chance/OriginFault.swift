/// Faults of an origin, for one request or for a while.
enum OriginFault: CaseIterable {
    /// 500, 503 and 429; the latter two with a Retry-After.
    case failing
    case overloaded
    case crowded
    /// There is no connection, or it breaks.
    case unreachable
    /// It accepts the request and does not answer.
    case hanging
    /// It answers, but too late for most requests.
    case slow
    /// It refuses the request.
    case refusing
    /// Its answer does not match the request: a 304 to an unconditional request, an encoded body.
    case confused
    /// Its answers are longer than the namespace allows.
    case tooLong
}
