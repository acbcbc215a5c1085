import CacheModel

/// The publisher's core: what nodes, clients and strangers send, what its log and its files answer,
/// and time, in any order.
///
///     setting 1 (FuzzPublisher.Setting), then each event: kind 1, what it needs
enum PublisherFuzz: FuzzTarget {
    static let name = "publisher"

    private static let eventsMax = 200

    static func take(_ input: UnsafeRawBufferPointer) {
        var script = Script(input)
        var publisher = FuzzPublisher(FuzzPublisher.Setting(rawValue: script.byte()))
        for _ in 0..<eventsMax where !script.isAtEnd {
            publisher.happen(script.below(21), &script)
            publisher.judge()
        }
        publisher.end()
    }
}
