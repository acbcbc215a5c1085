import CacheHTTP
import CacheModel
import HTTPTypes
import Threading

extension GatewayResponder {
    /// The answer to a read from the near cache; `nil` for every other case, also for an invalid
    /// request: that is answered by the usual path.
    func nearAnswer(to request: HTTPRequest) -> NearAnswer? {
        let now = MonotonicClock.now
        guard let near = desk.near, request.method == .get || request.method == .head,
            Self.isPlain(request.headerFields)
        else { return nil }
        let head = RequestHead(request)
        do throws(Problem) {
            try PageGuard.check(
                head, isOpen: isOpen, isTokenAsked: isTokenAsked, origins)
            guard case .read(let order) = try GatewayOrder(head) else { return nil }
            let found = try near.value(for: order) { () throws(Problem) in try desk.caller(head) }
            // A longer value requires space in the value budget.
            guard let value = found, value.bytes.count <= GatewayLimits.valueBytesUncounted
            else { return nil }
            return counted(desk.answer(order, value), to: head, since: now)
        } catch {
            return nil
        }
    }

    private func counted(
        _ found: Answer, to head: RequestHead, since begunAt: Instant
    ) -> NearAnswer {
        var visit = Visit(head, meter, since: begunAt)
        let sent = head.method == "HEAD" ? found.withoutBody : found
        let answer = finished(sent, to: head, &visit)
        return NearAnswer(answer: answer, visit: visit)
    }

    /// Whether no field of the request concerns its connection or a body.
    private static func isPlain(_ fields: HTTPFields) -> Bool {
        fields[.connection] == nil && fields[.upgrade] == nil && fields[.expect] == nil
            && fields[.transferEncoding] == nil && fields[.contentLength] == nil
    }
}
