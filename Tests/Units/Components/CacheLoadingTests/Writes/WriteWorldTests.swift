import CacheLoading
import CacheModel
import Testing

/// Every way in which a few writes can go, with something going wrong once or twice: an answer that
/// is lost before or after the origin acted, a publisher that is away, a disk that refuses, a crash
/// at every step with every part of what was being written in the file.
@Suite struct WriteWorldTests {
    private static func wishes(_ keys: String) -> [OriginWrite] {
        keys.enumerated().map { index, key in
            WriteStory.write(
                String(key), index % 3 == 2 ? nil : "\(index)", name: UInt64(index + 1))
        }
    }

    /// - Returns: how many ways there were, and the first complaint.
    private static func walk(
        _ world: WriteWorld, depth: Int, _ path: [WriteWorld.Event] = []
    ) -> (count: Int, complaint: String?) {
        if let complaint = world.complaint(atEnd: false) { return (1, "\(complaint) \(path)") }
        let events = depth > 0 ? world.events : []
        guard !events.isEmpty else {
            var healed = world
            healed.heal()
            return (1, healed.complaint(atEnd: true).map { "\($0) \(path)" })
        }
        var count = 0
        for event in events {
            var next = world
            next.happens(event)
            let (more, complaint) = walk(next, depth: depth - 1, path + [event])
            count += more
            if complaint != nil { return (count, complaint) }
        }
        return (count, nil)
    }

    @Test(arguments: [("aa", 2, 8), ("ab", 2, 7), ("aab", 1, 9), ("aaa", 1, 10), ("a", 3, 10)])
    func nothingAcceptedIsLostAndEveryKeyKeepsItsOrder(
        keys: String, troubles: Int, depth: Int
    ) {
        let world = WriteWorld(Self.wishes(keys), troubles: troubles)
        let (count, complaint) = Self.walk(world, depth: depth)
        #expect(complaint == nil)
        #expect(count > 100)
    }

    @Test(arguments: [("aa", 2, 8), ("aba", 1, 9)])
    func aRejectedWriteIsListedAndBlocksNoOtherWrite(keys: String, troubles: Int, depth: Int) {
        let wishes = Self.wishes(keys)
        let world = WriteWorld(wishes, refused: wishes[0].name, troubles: troubles)
        let (count, complaint) = Self.walk(world, depth: depth)
        #expect(complaint == nil)
        #expect(count > 100)
    }
}
