/// What can be wrong with an origin, for one request or for a while.
enum OriginFault: CaseIterable {
    /// 500, 503 and 429, the latter two with a time to come back.
    case failing
    case overloaded
    case crowded
    /// There is no connection, or it breaks.
    case unreachable
    /// It takes the request and says nothing.
    case hanging
    /// It answers, and too late for most.
    case slow
    /// It says no.
    case refusing
    /// It answers with what nobody asked for: a 304 without a question, an encoded body.
    case confused
    /// Its answers are longer than the namespace allows.
    case tooLong
}
