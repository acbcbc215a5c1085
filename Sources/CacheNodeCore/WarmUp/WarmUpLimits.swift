/// Every bound of warming up.
package enum WarmUpLimits {
    /// How long a peer's shard may take for a page before the next peer is asked.
    package static let answerTimeout = Duration.seconds(2)
    /// Pages of one namespace in one shard of a peer: some hundred and fifty thousand entries.
    package static let pagesPerPlaceMax = 16
    package static let keysPerPageMax = 1_024
    /// Keys under way at a time.
    package static let inFlightMax = 32
    /// How often one key is tried.
    package static let triesMax = 3
}
