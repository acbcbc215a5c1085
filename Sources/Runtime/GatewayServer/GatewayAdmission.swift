import CacheHTTP
import CacheModel
import GatewayCore
import HTTPTypes
import Threading

/// Reads the head of a request, and checks what its client may do: the first two steps of every
/// request. It looks nothing up, so that neither the answer nor its time shows which entries exist.
struct GatewayAdmission: Sendable {
    /// What a request is once its head was read and allowed.
    enum Admitted: Sendable {
        /// Its head alone determines the answer: a browser's preflight, a part of the dashboard.
        case answered(Answer)
        /// ``StreamDoor`` checks its token, which may come in a message.
        case stream(StreamOrder)
        /// What its body says is checked once it was read.
        case order(GatewayOrder, Caller)
    }

    /// The outcome for one request.
    struct Decision: Sendable {
        let head: RequestHead
        /// Before its head was read.
        let begunAt: Instant
        let admitted: Result<Admitted, Problem>
    }

    let origins: AllowedOrigins
    /// `nil`: no client is asked for a token.
    let tokens: TokenAuthenticator?
    /// Whether it is reachable only from this machine.
    let isLoopback: Bool

    /// Reads and judges a request now.
    func decision(about request: HTTPRequest) -> Decision {
        let begunAt = MonotonicClock.now
        let head = RequestHead(request)
        return Decision(
            head: head, begunAt: begunAt,
            admitted: Result { () throws(Problem) in try admit(head) })
    }

    /// - Throws: everything that refuses a request by its head.
    func admit(_ head: RequestHead) throws(Problem) -> Admitted {
        try PageGuard.check(
            head, isOpen: tokens == nil && isLoopback, isTokenAsked: tokens != nil, origins)
        if let answer = try origins.preflight(head) { return .answered(answer) }
        if let answer = try DashboardPages.answer(head) { return .answered(answer) }
        let order = try GatewayOrder(head)
        switch order {
        case .stream(let order): return .stream(order)
        case .document: return .order(order, .anybody)
        default:
            let caller = try self.caller(head)
            try caller.check(order)
            return .order(order, caller)
        }
    }

    private func caller(_ head: RequestHead) throws(Problem) -> Caller {
        guard let tokens else { return .anybody }
        guard let token = try BearerToken.read(head.fields) else {
            throw BearerToken.refusal(
                "this gateway authenticates requests: send Authorization: Bearer and a token")
        }
        return .holder(try tokens.entry(of: token))
    }
}

/// What a request is answered with.
enum GatewayAnswer: Sendable {
    /// - Parameter heldBytes: reserved for it in the value budget, to be returned once it is sent.
    case whole(Answer, heldBytes: Int = 0)
    /// Server-sent events of an admitted subscriber.
    case events(EventStreamReader, SubscriberID)
    /// - Parameters:
    ///   - accept: the answer to the key of its handshake.
    ///   - isComplete: whether the URL and the fields are sufficient, so that no message is waited
    ///     for.
    case webSocket(WebSocketReader, accept: String, isComplete: Bool)
}
