/// What holds for every origin over HTTP of one node.
package struct HTTPOriginSettings: Sendable {
    /// Sent as `User-Agent`, unless a namespace has a field of that name.
    package var userAgent = "martlet"
    /// A connection must stand by then; an attempt's own timeout ends its wait earlier. One that is
    /// being opened cannot be called off: a shutdown may wait for it this long.
    package var connectTimeout = Duration.seconds(2)
    /// How long an unused connection is kept. Below five seconds, the shortest that common servers
    /// keep theirs: a server that closes first may do so with a request under way.
    package var idleTimeout = Duration.seconds(4)
    /// Most connections to one host and port. At least the sum of `concurrencyMax` of the
    /// namespaces that load from there, or attempts wait for each other inside, on their timeouts.
    package var connectionsPerHostMax = 1_024

    package init() {}
}
