import PublisherCore
import Testing

@Suite struct PeerIDTests {
    private static let names: [[UInt8]] = [
        [0, 0, 0, 0, 0], [0, 1, 2, 3, 4], [0, 0xFF, 0xFE, 0xFD, 0xFC],
    ]

    @Test(arguments: names)
    func aNameThatARouterMadeIsKeptAsItIs(name: [UInt8]) {
        let peer = name.withUnsafeBytes { PeerID($0) }
        #expect(peer?.withUnsafeBytes { Array($0) } == name)
    }

    @Test func namesThatPeersChoseAreRefused() {
        let chosen: [[UInt8]] = [
            [], [0], [0, 1, 2, 3], [0, 1, 2, 3, 4, 5], Array("abcde".utf8), [1, 0, 0, 0, 0],
            [UInt8](repeating: 0, count: 15),
        ]
        for name in chosen { #expect(name.withUnsafeBytes { PeerID($0) } == nil, "\(name)") }
    }
}
