/// The user's settings of the screen.
package struct ConsoleSettings: Hashable, Sendable {
    /// Time between two rounds of asking the cluster.
    package var interval: Duration
    /// The endpoints to try, as the user named them.
    package var endpoints: String
    package var sort = NodeColumn.node
    package var isReversed = false
    package var filter = ""
    package var showsStream = true

    package init(interval: Duration, endpoints: String) {
        self.interval = interval
        self.endpoints = endpoints
    }

    /// Age from which a value is stale.
    package var staleAfter: Duration { interval * ConsoleLimits.staleIntervals }
}
