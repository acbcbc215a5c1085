/// What who starts the screen asks for.
package struct ConsoleSettings: Hashable, Sendable {
    /// Between two looks at the cluster.
    package var interval: Duration
    /// Whom it tries, as the user named them.
    package var endpoints: String
    package var sort = NodeColumn.node
    package var isReversed = false
    package var filter = ""
    package var showsStream = true

    package init(interval: Duration, endpoints: String) {
        self.interval = interval
        self.endpoints = endpoints
    }

    /// When a figure is stale.
    package var staleAfter: Duration { interval * ConsoleLimits.staleIntervals }
}
