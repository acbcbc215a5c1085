package import CacheModel

extension ClusterConsole {
    /// Header and table as lines of text, without key bindings and of any height: for output that
    /// is no terminal.
    package func page(columns: Int, now: Instant) -> [String] {
        var console = self
        console.settings.showsStream = false
        console.isText = true
        let size = ScreenSize(columns: columns, rows: max(20, book.nodes.count + 8))
        var lines = console.screen(size, now: now).text
        while lines.last == "" { lines.removeLast() }
        return lines
    }
}

extension ClusterBook {
    /// Whether the publisher and every node were read twice, or are away.
    package var tellsRates: Bool {
        let isPublisherThere = publisherAbsence != nil || publisherTrack.rate("records") != nil
        return isPublisherThere
            && nodes.allSatisfy { $0.absence != nil || $0.track.rate("messages") != nil }
    }
}
