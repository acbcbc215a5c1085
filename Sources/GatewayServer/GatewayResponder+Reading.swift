import CacheHTTP

/// Values on their way out: there is room for each before it is asked for, or once it is there.
extension GatewayResponder {
    /// Asks the cluster for a value, if it fits beside those that are held.
    ///
    /// - Throws: ``ProblemKind/busy``, and whatever the cluster says.
    func answer(_ order: ReadOrder) async throws -> HeldAnswer {
        let held = try await desk.room.around([order.key], order.namespace) {
            let answer = try await desk.read(order)
            return (answer, [Self.length(answer)])
        }
        var answer = HeldAnswer(held.found)
        answer.heldBytes = held.bytes
        if [206, 416].contains(answer.answer.status) {
            // The node sent the whole value, and the rest of it is gone by now.
            answer.heldBytes = desk.room.counted(answer.answer.body.count)
            try desk.room.budget.settle(held.bytes, as: answer.heldBytes)
        }
        return answer
    }

    /// How long the value is that an answer has; `nil` if it does not say.
    private static func length(_ answer: Answer) -> Int? {
        switch answer.status {
        case 200: answer.body.count
        // The value is longer than what is sent of it: `bytes 0-9/300`.
        case 206, 416:
            answer.fields["Content-Range"].flatMap { $0.split(separator: "/").last }
                .flatMap { Int($0) }
        // Of a key that is not there nothing is to be expected.
        case 404, 504: 0
        default: nil
        }
    }

    /// What is sent for an answer: itself, without its body for HEAD; or that there is no room for
    /// it, where it holds none yet.
    func fitting(_ answer: HeldAnswer, _ head: RequestHead) -> HeldAnswer {
        var fitting = answer
        if head.method == "HEAD" { fitting.answer = fitting.answer.withoutBody }
        // A refusal is short, and says more than that there is no room.
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
