import CacheHTTP
import CacheModel
import HTTPTypes
import Threading

extension GatewayResponder {
    /// The answer to a read of what is remembered; `nil` where anything else is to be done, also
    /// where something is wrong with the request: that is said by the usual way.
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
            // What is longer has to find room beside other values.
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

    /// Whether nothing of the request is about its connection or a body.
    private static func isPlain(_ fields: HTTPFields) -> Bool {
        fields[.connection] == nil && fields[.upgrade] == nil && fields[.expect] == nil
            && fields[.transferEncoding] == nil && fields[.contentLength] == nil
    }
}
