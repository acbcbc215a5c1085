import CacheHTTP
import HTTPTypes

extension GatewayResponder {
    /// The answer to a read of what is remembered; `nil` where anything else is to be done, also
    /// where something is wrong with the request: that is said by the usual way.
    func nearAnswer(to request: HTTPRequest) -> Answer? {
        guard let near = desk.near, request.method == .get || request.method == .head,
            Self.isPlain(request.headerFields)
        else { return nil }
        let head = RequestHead(request)
        do throws(Problem) {
            try PageGuard.check(head, isOpen: isOpen, origins)
            guard case .read(let order) = try GatewayOrder(head) else { return nil }
            try desk.caller(head).check(order)
            guard let value = near.value(for: order) else { return nil }
            return counted(order.answer(value), to: head)
        } catch {
            return nil
        }
    }

    /// What every answer has, and is counted as.
    private func counted(_ found: Answer, to head: RequestHead) -> Answer {
        var visit = Visit(head, meter)
        defer { visit.end() }
        var answer = head.method == "HEAD" ? found.withoutBody : found
        for field in origins.fields(for: head).fields {
            answer.fields.append(field.name, field.value)
        }
        visit.trace.name(in: &answer)
        visit.answers(answer)
        return answer
    }

    /// Whether nothing of the request is about its connection or a body.
    private static func isPlain(_ fields: HTTPFields) -> Bool {
        fields[.connection] == nil && fields[.upgrade] == nil && fields[.expect] == nil
            && fields[.transferEncoding] == nil && fields[.contentLength] == nil
    }
}
