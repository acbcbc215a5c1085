import CacheClientCore
import Testing

@Suite struct InFlightTableTests {
    /// All sequences of six steps over a table of two places, beside a naive model.
    @Test func everyShortHistoryMatchesADictionary() {
        // Each digit: 0 opens, 1 closes the oldest, 2 closes the newest, 3 closes again what was
        // closed last.
        for history in 0..<4_096 {
            var table = InFlightTable<Int>(capacity: 2)
            var model: [(id: UInt64, payload: Int)] = []
            var lastClosed: UInt64?
            for step in 0..<6 {
                switch history >> (2 * step) & 3 {
                case 0:
                    let id = table.open(step)
                    #expect((id == nil) == (model.count == 2))
                    if let id {
                        #expect(id != 0 && !model.contains { $0.id == id } && id != lastClosed)
                        model.append((id, step))
                    }
                case 3:
                    if let lastClosed { #expect(table.close(lastClosed) == nil) }
                case let end:
                    guard !model.isEmpty else { continue }
                    let entry = model.remove(at: end == 1 ? 0 : model.count - 1)
                    #expect(table[entry.id] == entry.payload)
                    #expect(table.close(entry.id) == entry.payload)
                    #expect(table[entry.id] == nil)
                    lastClosed = entry.id
                }
                #expect(table.count == model.count && table.isFull == (model.count == 2))
                var shown: [UInt64: Int] = [:]
                table.forEach { shown[$0] = $1 }
                #expect(
                    shown.count == model.count && model.allSatisfy { shown[$0.id] == $0.payload })
            }
        }
    }

    @Test func anInventedIdFindsNothing() {
        var table = InFlightTable<Int>(capacity: 4)
        let id = table.open(7)
        for invented in [0, 1, UInt64.max, (id ?? 0) + 1, (id ?? 0) &+ (1 << 32)] {
            #expect(table.close(invented) == nil)
        }
        #expect(table.count == 1)
    }
}
