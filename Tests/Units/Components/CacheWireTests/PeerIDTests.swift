import CacheWire
import Testing

@Suite struct PeerIDTests {
    @Test func onlyIDsThatARouterMadeAreTaken() {
        let made: [[UInt8]] = [[0, 0, 0, 0, 0], [0, 1, 2, 3, 4], [0, 0xFF, 0xFE, 0xFD, 0xFC]]
        for id in made {
            #expect(id.withUnsafeBytes { PeerID($0)?.withBytes { Array($0) } } == id)
        }
        let chosen: [[UInt8]] = [
            [], [0], [0, 1, 2, 3], [0, 1, 2, 3, 4, 5], Array("abcde".utf8), [1, 0, 0, 0, 0],
            [UInt8](repeating: 0, count: 15),
        ]
        for id in chosen { #expect(id.withUnsafeBytes { PeerID($0) } == nil, "\(id)") }
    }
}
