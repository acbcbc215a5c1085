import CacheHTTP

/// Reading values: space is reserved for each before it is requested, or once it is there.
extension GatewayResponder {
    /// Requests a value from the cluster, if there is space for it.
    ///
    /// - Throws: ``ProblemKind/busy``, and errors of the cluster.
    func answer(_ order: ReadOrder) async throws -> HeldAnswer {
        let held = try await desk.room.around([order.key], order.namespace) {
            let answer = try await desk.read(order)
            return (answer, [Self.length(answer)])
        }
        var answer = HeldAnswer(held.found)
        answer.heldBytes = held.bytes
        if [206, 416].contains(answer.answer.status) {
            // The node sent the whole value; the rest of it is already freed.
            answer.heldBytes = desk.room.counted(answer.answer.body.count)
            try desk.room.budget.settle(held.bytes, as: answer.heldBytes)
        }
        return answer
    }

    /// The length of the value of an answer; `nil` if it is not stated.
    private static func length(_ answer: Answer) -> Int? {
        switch answer.status {
        case 200: answer.body.count
        // The value is longer than the part that is sent: `bytes 0-9/300`.
        case 206, 416:
            answer.fields["Content-Range"].flatMap { $0.split(separator: "/").last }
                .flatMap { Int($0) }
        // A missing key has no expected length.
        case 404, 504: 0
        default: nil
        }
    }

    /// The answer to send: itself, without its body for HEAD; or busy, if there is no space for it
    /// and it has no reservation yet.
    func fitting(_ answer: HeldAnswer, _ head: RequestHead) -> HeldAnswer {
        var fitting = answer
        if head.method == "HEAD" { fitting.answer = fitting.answer.withoutBody }
        // A refusal is short, and more useful than busy.
        guard fitting.heldBytes == 0, fitting.answer.status < 400 else { return fitting }
        let counted = desk.room.counted(fitting.answer.body.count)
        do throws(Problem) {
            try desk.room.budget.take(counted)
        } catch {
            meter.refused(error.kind)
            return HeldAnswer(error.afterwards(head.method).answer)
        }
        fitting.heldBytes = counted
        return fitting
    }
}
