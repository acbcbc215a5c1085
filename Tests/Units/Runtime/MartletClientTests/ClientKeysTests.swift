import ByteCoding
import MartletClient
import Testing
import ZeroMQ

@Suite struct ClientKeysTests {
    private let pair: CurveKeyPair
    private let publicText: String
    private let secretText: String

    init() throws {
        pair = try CurveKeyPair.generate()
        publicText = "\(pair.publicKey)"
        secretText = HexText.text(of: pair.secretKey.bytes)
    }

    @Test func twoHalvesInDigitsAreAKey() {
        let keys = ClientKeys(publicKey: publicText, secretKey: secretText.uppercased())
        #expect(keys?.pair.publicKey == pair.publicKey)
        #expect(keys?.pair.secretKey.bytes == pair.secretKey.bytes)
        #expect(ClientKeys(text: pair.secretText)?.pair.publicKey == pair.publicKey)
    }

    @Test func anythingElseIsNone() throws {
        let other = try CurveKeyPair.generate()
        #expect(ClientKeys(publicKey: "\(other.publicKey)", secretKey: secretText) == nil)
        #expect(ClientKeys(publicKey: secretText, secretKey: publicText) == nil)
        #expect(ClientKeys(publicKey: "", secretKey: secretText) == nil)
        #expect(ClientKeys(publicKey: publicText, secretKey: "") == nil)
        #expect(ClientKeys(publicKey: publicText, secretKey: secretText + "00") == nil)
        #expect(ClientKeys(text: "") == nil && ClientKeys(text: publicText) == nil)
    }

    @Test func itShowsNoSecret() throws {
        let keys = ClientKeys(pair)
        var configuration = CacheClientConfiguration(endpoints: ["tcp://127.0.0.1:1"])
        configuration.keys = keys
        var dumped = ""
        dump(configuration, to: &dumped)
        let listed = pair.secretKey.bytes[..<6].map(String.init).joined(separator: ", ")
        for text in ["\(keys)", String(reflecting: keys), "\(configuration)", dumped] {
            #expect(!text.contains(secretText.prefix(8)) && !text.contains(secretText.suffix(8)))
            #expect(!text.contains(listed))
        }
    }

    /// What a client with these keys says to an endpoint before it speaks to it.
    private func problem(_ endpoints: [String], _ keys: ClientKeys?) -> CacheError? {
        var configuration = CacheClientConfiguration(endpoints: endpoints)
        configuration.keys = keys
        do throws(CacheError) {
            _ = try CacheClient(configuration)
            return nil
        } catch {
            return error
        }
    }

    @Test func keysAreOnBothSidesOrOnNone() {
        let place = "tcp://127.0.0.1:7400"
        let keyed = "\(place)?key=\(publicText)"
        #expect(problem([place], nil) == nil)
        #expect(problem([keyed], ClientKeys(pair)) == nil)
        let keyless = problem([keyed], nil)
        #expect(keyless?.code == .invalidArgument)
        #expect(
            keyless?.message
                == "\(keyed) authenticates its clients: this one needs a key of its own")
        let bare = problem([keyed, place], ClientKeys(pair))
        #expect(bare?.code == .invalidArgument)
        #expect(bare?.message.hasPrefix("\(place) does not name the server's key") == true)
    }
}
