import CacheClientCore
import CacheModel
import CacheWire
import Threading

/// A change of the publisher that leads, by ``CacheCluster/stepDown(timeout:)``.
public struct LeadershipChange: Hashable, Sendable {
    /// One of several publishers.
    public struct Publisher: Hashable, Sendable {
        /// Its name, as it reports it.
        public var name: String
        /// Its endpoint for requests.
        public var controlEndpoint: String

        package init(name: String, controlEndpoint: String) {
            (self.name, self.controlEndpoint) = (name, controlEndpoint)
        }
    }

    /// The publisher that led.
    public var former: Publisher
    /// The publisher that leads now.
    public var leader: Publisher
    /// Time from the order until the new leader answered.
    public var elapsed: Duration

    package init(former: Publisher, leader: Publisher, elapsed: Duration) {
        (self.former, self.leader, self.elapsed) = (former, leader, elapsed)
    }
}

extension CacheCluster {
    /// Orders the leading publisher to give its leadership up, and waits until another publisher
    /// leads.
    ///
    /// Invalidations wait meanwhile, and are done by the next leader. Nothing is hidden, and reads
    /// continue.
    ///
    /// - Parameter timeout: for all of it; `nil` is the timeout of the client.
    /// - Returns: which publisher led, and which one leads now.
    /// - Throws: ``CacheError/Code/refused`` if there is only one publisher; nothing was done then.
    ///   ``CacheError/Code/unauthorised`` unless this client's key has the role `admin` for
    ///   everything. ``CacheError/Code/disconnected`` if no publisher leads, and
    ///   ``CacheError/Code/timedOut`` if none has taken over in time;
    ///   ``CacheError/mayHaveHappened`` tells whether the order may have been carried out.
    public func stepDown(timeout: Duration? = nil) async throws(CacheError) -> LeadershipChange {
        let deadline = try loop.deadline(timeout)
        for _ in 0..<Self.ordersMax {
            let former = try await leadingPublisher(deadline: deadline)
            let began = MonotonicClock.now
            switch try await order(former, deadline: deadline) {
            // Another one leads already: that one is meant.
            case .denied: continue
            case .accepted(let isCertain):
                let leader = try await successor(
                    of: former, isCertain: isCertain, deadline: deadline)
                return LeadershipChange(
                    former: former, leader: leader,
                    elapsed: MonotonicClock.now.elapsed(since: began))
            }
        }
        throw CacheError(
            .refused, "the leadership is changing by itself, and nothing was ordered; try again")
    }

    /// Orders to publishers that turn out not to lead.
    private static let ordersMax = 4
    /// How long the answer to the order may take before the leader is looked at.
    private static let orderPatience: Duration = .seconds(1)
    /// Between two looks at the leader.
    private static let lookPause: Duration = .milliseconds(20)
    /// With less time left the last look counts.
    private static let lookTimeMin: Duration = .milliseconds(250)

    private enum OrderOutcome {
        /// - Parameter isCertain: `false` if no answer came.
        case accepted(isCertain: Bool)
        /// The publisher does not lead: nothing was done.
        case denied
    }

    /// The publisher that leads, by its own word.
    private func leadingPublisher(
        deadline: Instant
    ) async throws(CacheError) -> LeadershipChange.Publisher {
        let report = try await loop.ask(
            Self.question(.topology, at: .publisher, deadline: deadline), .topologyReport
        ) { message throws(WireRefusal) in try TopologyReport(decoding: message) }
        let status = try await loop.ask(
            Self.question(.status, at: .endpoint(report.controlEndpoint), deadline: deadline),
            .statusReport
        ) { message throws(WireRefusal) in try StatusReport(decoding: message) }
        return LeadershipChange.Publisher(
            name: status.name, controlEndpoint: report.controlEndpoint)
    }

    /// Sends the order, once: a repetition could reach the next leader.
    private func order(
        _ publisher: LeadershipChange.Publisher, deadline: Instant
    ) async throws(CacheError) -> OrderOutcome {
        let end = min(deadline, MonotonicClock.now.advanced(by: Self.orderPatience))
        let order = AdminRequest(
            .endpoint(publisher.controlEndpoint), .init(.onceOnly, deadline: end)
        ) { StepDown().encode(requestID: 0, into: &$0) }
        let frame: [UInt8]
        do throws(CacheError) {
            frame = try await loop.ask(order)
        } catch {
            if error.isUnsupported { throw Self.isOnlyPublisher(error) }
            // It may have ended with its answer.
            guard error.code == .timedOut else { throw error }
            return .accepted(isCertain: false)
        }
        let type = frame.withUnsafeBytes { bytes -> MessageType? in
            do throws(WireRefusal) {
                return try MessageView(decoding: bytes).type
            } catch {
                return nil
            }
        }
        if type == .notLeader { return .denied }
        _ = try AdminRequest.decode(frame, .done) { message throws(WireRefusal) in
            try Done(decoding: message.body)
        }
        return .accepted(isCertain: true)
    }

    private static func isOnlyPublisher(_ error: CacheError) -> CacheError {
        CacheError(
            .refused,
            "this cluster has one publisher, so none can take over, and nothing was done; several "
                + "publishers need a log on etcd (\(error.message))", isUnsupported: true)
    }

    /// Waits until another publisher says that it leads.
    private func successor(
        of former: LeadershipChange.Publisher, isCertain: Bool, deadline: Instant
    ) async throws(CacheError) -> LeadershipChange.Publisher {
        while true {
            do throws(CacheError) {
                let leader = try await leadingPublisher(deadline: deadline)
                guard leader.controlEndpoint == former.controlEndpoint else { return leader }
            } catch {
                throw Self.noSuccessor(of: former, isCertain, error)
            }
            let left = deadline.elapsed(since: MonotonicClock.now)
            guard left > Self.lookTimeMin, await Task.slept(for: Self.lookPause) else {
                throw Self.noSuccessor(of: former, isCertain, nil)
            }
        }
    }

    private static func noSuccessor(
        of former: LeadershipChange.Publisher, _ isCertain: Bool, _ error: CacheError?
    ) -> CacheError {
        if let error, error.code == .closed || error.code == .cancelled { return error }
        let order =
            "\(former.name) was told to give its leadership up"
            + (isCertain ? "" : " and did not answer")
        let outcome =
            error.map { "which publisher leads now is not known: \($0.message)" }
            ?? "it leads all the same, as no other publisher took over in time"
        return CacheError(
            .timedOut, "\(order); \(outcome)", mayHaveHappened: true)
    }
}
