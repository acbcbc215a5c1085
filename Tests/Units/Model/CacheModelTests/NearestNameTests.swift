import CacheModel
import Testing

@Suite struct NearestNameTests {
    private static let names = ["get", "set", "status", "explain", "invalidate"]

    @Test(arguments: [
        ("gte", "get"), ("gett", "get"), ("stauts", "status"), ("statsu", "status"),
        ("explian", "explain"), ("invaldiate", "invalidate"), ("invalidat", "invalidate"),
    ])
    func aSlipOfTheFingerFindsTheName(word: String, name: String) {
        #expect(NearestName.find(word, among: Self.names) == name)
    }

    @Test(arguments: ["", "x", "tg", "bogus", "validity", String(repeating: "g", count: 65)])
    func anotherWordFindsNone(word: String) {
        #expect(NearestName.find(word, among: Self.names) == nil)
    }
}
