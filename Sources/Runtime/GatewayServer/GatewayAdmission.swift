import CacheHTTP

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

    let origins: AllowedOrigins
    /// `nil`: no client is asked for a token.
    let tokens: TokenAuthenticator?
    /// Whether it is reachable only from this machine.
    let isLoopback: Bool

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
