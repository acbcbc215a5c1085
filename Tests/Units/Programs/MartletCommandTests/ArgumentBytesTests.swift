import ByteCoding
import CacheModel
import CommandSurface
import Testing
import TestSupport

@testable import martlet

/// Arguments are bytes: what is named is what was given, or nothing is done.
@Suite struct ArgumentBytesTests {
    private static let odd: [UInt8] = Array("k".utf8) + [0xFF, 0xC3] + Array("ä".utf8) + [0x80]

    private static func parsed<Command>(_ arguments: [[UInt8]]) throws -> Command {
        let texts = arguments.map(ArgumentBytes.text)
        return try #require(try CommandProgram.parsed(MartletCommand.self, texts) as? Command)
    }

    private static func words(_ line: String) -> [[UInt8]] {
        line.split(separator: " ").map { Array($0.utf8) }
    }

    @Test func anyBytesComeBackAsTheyWere() {
        var dice = SeededGenerator(seed: 9)
        var samples: [[UInt8]] = [[], Array("\u{10FF80}\u{10FFFF}".utf8), Self.odd]
        samples += (0...255).map { [UInt8($0)] }
        for _ in 0..<2_000 {
            let count = Int.random(in: 0..<20, using: &dice)
            samples.append((0..<count).map { _ in UInt8.random(in: 0x70...0xFF, using: &dice) })
        }
        var texts: Set<[UInt8]> = []
        for sample in samples {
            let text = ArgumentBytes.text(sample)
            #expect(ArgumentBytes.bytes(text) == sample)
            texts.insert(Array(text.utf8))
        }
        #expect(texts.count == Set(samples).count)
    }

    @Test(arguments: ["", "a=b", "--ttl", "grüße \u{1F426} e\u{301}", "\u{FFFD}\u{10FF7F}"])
    func whatIsUTF8IsItself(text: String) {
        let read = ArgumentBytes.text(Array(text.utf8))
        #expect(Array(read.utf8) == Array(text.utf8))
        #expect(ArgumentBytes.isText(read))
    }

    @Test func keysTagsPrefixesAndValuesAreBytes() throws {
        let odd = Self.odd
        let get: GetCommand = try Self.parsed([Array("get".utf8), odd])
        #expect(get.keys.map(\.bytes) == [odd])
        let set: SetCommand = try Self.parsed(
            [Array("set".utf8), odd, odd + [1]]
                + [Array("--tag".utf8), odd, Array("--etag=".utf8) + odd])
        #expect(set.key.bytes == odd && set.value == odd + [1])
        #expect(set.tags.map(\.bytes) == [odd] && set.etag?.bytes == odd)
        let scan: ScanCommand = try Self.parsed(Self.words("scan --prefix") + [odd])
        #expect(scan.prefix == odd)
        let prefetch: PrefetchCommand = try Self.parsed([Array("prefetch".utf8), odd])
        guard case .arguments(let keys) = try prefetch.place else {
            Issue.record("keys were given as arguments")
            return
        }
        #expect(keys.map(\.bytes) == [odd])
    }

    @Test func whatIsInvalidatedIsWhatWasNamed() throws {
        let odd = Self.odd
        for (kind, target) in [
            ("key", Scope.Target.key(try #require(CacheKey(bytes: odd)), in: .default)),
            ("tag", .tag(try #require(Tag(bytes: odd)), in: .default)),
            ("prefix", .prefix(odd, in: .default)),
        ] {
            let command: InvalidateCommand = try Self.parsed(
                Self.words("invalidate \(kind)") + [odd])
            #expect(try command.order().scopes.map(\.target) == [target])
            #expect(try command.order().summary == kind + #" k\xff\xc3ä\x80"#)
        }
    }

    @Test(arguments: [
        "prefetch --file", "config check", "keygen n1 --out", "node --id n1 --config", "up --dir",
        "get a --cluster", "invalidate namespace", "get a --namespace", "bench join",
    ])
    func anythingElseThatIsNotUTF8IsRefused(line: String) throws {
        let texts = (Self.words(line) + [Self.odd]).map(ArgumentBytes.text)
        do {
            _ = try CommandProgram.parsed(MartletCommand.self, texts)
            Issue.record("\(line) was taken")
        } catch {
            let ending = CommandEnding(error, of: MartletCommand.self, arguments: texts)
            #expect(ending.status == ExitStatus.wrongUsage.rawValue, "\(ending.complaint)")
        }
    }

    @Test func theRefusalShowsTheBytes() throws {
        let texts = (Self.words("config check") + [Self.odd]).map(ArgumentBytes.text)
        let failure = try #require(throws: CommandFailure.self) {
            _ = try CommandProgram.parsed(MartletCommand.self, texts)
        }
        #expect(failure.sentence.hasPrefix(#"k\xff\xc3ä\x80 is not UTF-8"#))
    }

    @Test func jsonSaysTagsThatAreNoText() {
        let document = JSONDocument.object(JSONDocument.tags([Array("a".utf8), [0xFF]]))
        #expect(document.line == #"{"tags":["a","\#u{FFFD}"],"tags_base64":["YQ==","/w=="]}"#)
        let plain = JSONDocument.object(JSONDocument.tags([Array("a".utf8)]))
        #expect(plain.line == #"{"tags":["a"]}"#)
    }
}
