package import CacheMetrics

extension NodeReport {
    /// Every metric of a node.
    package static let families =
        [
            Family.info, Family.state, Family.notLive, Family.appliedEpoch,
            Family.appliedSequence, Family.lag, Family.loads, Family.turns, Family.unsent,
            Family.peerQuestions, Family.peerAnswers, Family.peerFailures, Family.originAsked,
            Family.originAttempts, Family.originAnswers, Family.originFailures,
            Family.breakerOpenings, Family.breaker, Family.originInFlight, Family.originLimit,
            Family.originWaiting, Family.spans,
        ] + FigureTable.shards.families + FigureTable.control.families

    /// Families that are in no table.
    enum Family {
        static let info = MetricFamily(
            .info, "martlet_node", "Which run of which node this is.")
        static let state = MetricFamily(
            .gauge, "martlet_node_state", "1 for the state that the node is in, 0 for the others.")
        static let notLive = MetricFamily(
            .gauge, "martlet_node_not_live", "1 for the reason why the node is not live, if any.")
        static let appliedEpoch = MetricFamily(
            .gauge, "martlet_node_applied_epoch", "Epoch of the newest record applied.")
        static let appliedSequence = MetricFamily(
            .gauge, "martlet_node_applied_sequence",
            "Number of the newest record applied, within its epoch.")
        static let lag = MetricFamily(
            .gauge, "martlet_node_lag_records", "Records that are known of and not applied.")
        static let loads = MetricFamily(
            .histogram, "martlet_node_load_duration_seconds",
            "How long loads took, whether an origin or a peer made them, and however they ended.")
        static let turns = MetricFamily(
            .histogram, "martlet_node_turn_duration_seconds",
            "How long it took to answer the messages that had come in at once, at most 64.")
        static let unsent = MetricFamily(
            .counter, "martlet_node_unsent_replies", "Replies that were not sent, by cause.")

        static let peerQuestions = MetricFamily(
            .counter, "martlet_node_peer_questions", "Frames with a question to a peer.")
        static let peerAnswers = MetricFamily(
            .counter, "martlet_node_peer_answers", "Loads that a peer answered.")
        static let peerFailures = MetricFamily(
            .counter, "martlet_node_peer_failures",
            "Loads that a peer was asked for and gave nothing.")

        static let originAsked = MetricFamily(
            .counter, "martlet_node_origin_requests",
            "Loads and writes that reached the scheduler before an origin.")
        static let originAttempts = MetricFamily(
            .counter, "martlet_node_origin_attempts", "Attempts at an origin, by kind.")
        static let originAnswers = MetricFamily(
            .counter, "martlet_node_origin_answers", "Requests that ended with an answer.")
        static let originFailures = MetricFamily(
            .counter, "martlet_node_origin_failures",
            "Requests that ended without an answer, by cause.")
        static let breakerOpenings = MetricFamily(
            .counter, "martlet_node_origin_breaker_openings",
            "Times an origin had failed so often that it was left alone.")
        static let breaker = MetricFamily(
            .gauge, "martlet_node_origin_breaker",
            "0 if the origin is asked, 1 if it is tried again, 2 if it is left alone.")
        static let originInFlight = MetricFamily(
            .gauge, "martlet_node_origin_attempts_in_flight", "Attempts under way.")
        static let originLimit = MetricFamily(
            .gauge, "martlet_node_origin_attempts_limit",
            "Most attempts at a time, for now: fewer where the origin is slow.")
        static let originWaiting = MetricFamily(
            .gauge, "martlet_node_origin_waiting_requests", "Requests that wait for their turn.")
        static let spans = MetricFamily(
            .counter, "martlet_node_spans",
            "Spans by what became of them: exported, dropped, refused, failed.")
    }
}
