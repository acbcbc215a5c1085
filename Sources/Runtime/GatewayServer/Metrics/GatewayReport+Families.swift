package import CacheMetrics

/// Names of a gateway's metrics, for code that lists them.
package enum GatewayMetrics {
    /// Every metric of a gateway.
    package static var families: [MetricFamily] { GatewayReport.families }
}

extension GatewayReport {
    static let families = [
        Family.requests, Family.durations, Family.inFlight, Family.receivedBytes,
        Family.sentBytes, Family.problems, Family.connectionsOpened, Family.refusedConnections,
        Family.openConnections,
        Family.heldBytes, Family.operations, Family.failures, Family.publisherReached,
        Family.nodeReached, Family.nearReached, Family.nearReads, Family.nearKept,
        Family.nearDropped, Family.nearValues, Family.nearBytes, Family.subscribers,
        Family.subscriptions,
        Family.refusedSubscriptions, Family.resumed, Family.pushed, Family.replayed,
        Family.records, Family.cut, Family.gone, Family.ringRecords, Family.ringBytes,
        Family.waitingBytes, Family.spans,
    ]

    enum Family {
        static let requests = counter("requests", "Requests that ended, by what they were for.")
        static let durations = MetricFamily(
            .histogram, "martlet_gateway_request_duration_seconds",
            "From the head of a request to its answer, without those of subscribers that stay.")
        static let inFlight = gauge("requests_in_flight", "Requests under way.")
        static let receivedBytes = counter("received_body_bytes", "Bodies of requests.")
        static let sentBytes = counter("sent_body_bytes", "Bodies of answers.")
        static let problems = counter(
            "problems", "Requests that were refused or failed; a key that is absent is neither.")
        static let connectionsOpened = counter("connections_opened", "Connections accepted.")
        static let refusedConnections = counter(
            "connections_refused",
            "Times a connection could not be accepted, for want of descriptors; 0 is healthy.")
        static let openConnections = gauge("open_connections", "Connections that are open.")
        static let heldBytes = gauge(
            "held_value_bytes", "Long values that wait to be stored or sent.")
        static let operations = counter(
            "cluster_operations", "Operations that the cluster was asked for; each key is one.")
        static let failures = counter(
            "cluster_failures", "Operations that failed, by the code of the client.")
        static let publisherReached = gauge(
            "publisher_reached", "1 if the publisher answered when it was asked last; else 0.")
        static let nodeReached = gauge(
            "node_reached", "1 if the node answered when it was asked last; else 0.")
        static let nearReached = gauge(
            "near_node_reached", "The same of the node of --near; absent without one.")
        static let nearReads = counter(
            "near_cache_reads", "Reads by what the near cache made of them; absent without one.")
        static let nearKept = counter("near_cache_kept_values", "Nodes' answers that were kept.")
        static let nearDropped = counter(
            "near_cache_dropped_values", "Values dropped, by cause: changed, expired, evicted.")
        static let nearValues = gauge("near_cache_values", "Values that are held.")
        static let nearBytes = gauge("near_cache_bytes", "What they take.")
        static let subscribers = gauge("push_subscribers", "Subscribers of the stream.")
        static let subscriptions = counter("push_subscriptions", "Subscribers that were admitted.")
        static let refusedSubscriptions = counter(
            "push_refused_subscriptions", "Subscribers that were refused: there were too many.")
        static let resumed = counter(
            "push_resumed_subscriptions", "Subscribers that came back with a position.")
        static let pushed = counter("push_messages", "Messages sent, each subscriber's counted.")
        static let replayed = counter(
            "push_replayed_messages", "Of them, records that a subscriber had missed.")
        static let records = counter("push_records", "Records of the log that came.")
        static let cut = counter(
            "push_cut_subscribers", "Subscribers that were cut because they read too slowly.")
        static let gone = counter(
            "push_gone", "Times a subscriber was told that what it missed is not kept any more.")
        static let ringRecords = gauge(
            "push_kept_records", "Records kept for subscribers that reconnect.")
        static let ringBytes = gauge("push_kept_bytes", "What those records take.")
        static let waitingBytes = gauge(
            "push_waiting_bytes", "Messages that subscribers have not taken yet.")
        static let spans = counter(
            "spans", "Spans by what became of them: exported, dropped, refused, failed.")

        private static func counter(_ name: String, _ help: String) -> MetricFamily {
            MetricFamily(.counter, "martlet_gateway_" + name, help)
        }

        private static func gauge(_ name: String, _ help: String) -> MetricFamily {
            MetricFamily(.gauge, "martlet_gateway_" + name, help)
        }
    }
}
