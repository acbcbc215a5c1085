import CacheModel
import MartletClient
import Testing

@testable import martlet

/// What is typed arrives in the command: every flag of every command of the cluster's user.
@Suite struct ClientCommandTests {
    @Test func getTakesAllItsFlags() throws {
        let command: GetCommand = try Sample.command(
            "get a b --at-least 1:42 --allow-stale --near n2 --namespace images --json "
                + "--timeout 250ms --cluster tcp://127.0.0.1:7500")
        #expect(command.keys.map(\.description) == ["a", "b"])
        #expect(command.options.atLeast == Sample.position(42))
        #expect(command.options.allowsStale)
        #expect(command.options.wantsDetails)
        #expect(!command.options.isFresh)
        #expect(command.near?.name == "n2")
        #expect(command.room.room.name == "images")
        #expect(command.cluster.json)
        #expect(command.cluster.patience == .milliseconds(250))
        #expect(command.cluster.cluster == "tcp://127.0.0.1:7500")
        let fresh: GetCommand = try Sample.command("get a --fresh --node n1 --raw")
        #expect(fresh.options.isFresh && fresh.raw)
        #expect(fresh.options.node?.name == "n1")
        #expect(!fresh.options.wantsDetails)
        #expect(fresh.room.room == .default)
    }

    @Test func setTakesAllItsFlags() throws {
        let command: SetCommand = try Sample.command(
            "set a v --ttl 10m --tag x --tag y --version 7 --etag w1 --namespace images")
        #expect(command.key.description == "a")
        #expect(command.value == Array("v".utf8))
        var options = StoreOptions()
        options.lifetime = .after(.seconds(600))
        options.tags = [try Sample.tag("x"), try Sample.tag("y")]
        options.version = Version(7)
        options.etag = Validator("w1")
        #expect(command.options == options)
        #expect(command.room.room.name == "images")
    }

    @Test func setSaysWhatTheBytesAre() throws {
        let command: SetCommand = try Sample.command(
            "set a v --content-type text/css --content-encoding gzip --content-language de")
        let said = command.options.representation
        #expect(said.contentType?.text == "text/css")
        #expect(said.contentEncoding?.text == "gzip" && said.contentLanguage?.text == "de")
        for bad in ["é", String(repeating: "a", count: 256)] {
            #expect(throws: (any Error).self) {
                let _: SetCommand = try Sample.command("set a v --content-type \(bad)")
            }
        }
    }

    @Test func aStoreWithoutFlagsLeavesAllToTheNamespace() throws {
        let command: SetCommand = try Sample.command("set a -")
        #expect(command.value == Array("-".utf8))
        #expect(command.options == StoreOptions())
        let negative: SetCommand = try Sample.command("set a -- -5")
        #expect(negative.value == Array("-5".utf8))
        let lasting: SetCommand = try Sample.command("set a v --ttl none")
        #expect(lasting.options.lifetime == .never)
    }

    @Test func touchTakesAllItsFlags() throws {
        let command: TouchCommand = try Sample.command("touch a b --ttl 5s --namespace images")
        #expect(command.keys.count == 2)
        #expect(command.ttl == .after(.seconds(5)))
        #expect(command.room.room.name == "images")
    }

    @Test func deleteIsAnInvalidationOfKeys() throws {
        let command: DeleteCommand = try Sample.command(
            "delete a b --wait quorum --timeout 1s --namespace images")
        let invalidate: InvalidateCommand = try Sample.command(
            "invalidate key a b --wait quorum --timeout 1s --namespace images")
        let order = try invalidate.order()
        #expect(command.order.scopes == order.scopes)
        #expect(command.order.wait == .quorum && order.wait == .quorum)
        #expect(command.order.patience == .seconds(1) && order.patience == .seconds(1))
        #expect(command.order.strength == .hard)
    }

    @Test(arguments: ["all", "namespace a", "all --over 5s", "namespace a --soft"])
    func whatCoversMoreThanOneThinksNeedsConsent(line: String) throws {
        let command: InvalidateCommand = try Sample.command("invalidate \(line)")
        #expect(command.consent(isTerminal: true) == .toBeAskedFor)
        #expect(command.consent(isTerminal: false) == .missing)
        for flag in ["--yes", "--dry-run"] {
            let given: InvalidateCommand = try Sample.command("invalidate \(line) \(flag)")
            #expect(given.consent(isTerminal: false) == .given)
            #expect(given.consent(isTerminal: true) == .given)
        }
    }

    @Test(arguments: ["key a", "tag a", "prefix a"])
    func whatScriptsInvalidateAllDayNeedsNoConsent(line: String) throws {
        let command: InvalidateCommand = try Sample.command("invalidate \(line)")
        #expect(command.consent(isTerminal: false) == .given)
    }

    @Test func invalidateTakesAllItsFlagsBeforeAndAfterTheNames() throws {
        for line in [
            "invalidate tag news old --wait none --soft --dry-run --yes --timeout 1s --json",
            "invalidate --wait none --soft --dry-run --yes --timeout 1s --json tag news old",
        ] {
            let command: InvalidateCommand = try Sample.command(line)
            let order = try command.order()
            #expect(order.scopes.map(\.description) == ["tag news", "tag old"])
            #expect(order.wait == .none)
            #expect(order.strength == .soft)
            #expect(order.patience == .seconds(1))
            #expect(command.dryRun && command.yes && command.cluster.json)
        }
    }

    @Test(arguments: [
        ("invalidate key a --min-version 3", "key a"),
        ("invalidate tag a --namespace images", "tag a in images"),
        ("invalidate prefix a:", "prefix a:"),
        ("invalidate namespace images", "namespace images"),
        ("invalidate all", "everything"),
    ])
    func eachKindMeansItsScope(line: String, description: String) throws {
        let command: InvalidateCommand = try Sample.command(line)
        let scopes = try command.order().scopes
        #expect(scopes.map(\.description) == [description])
        #expect(scopes.filter { !$0.isMeaningful } == [])
        #expect(scopes.first?.minimumVersion == (command.kind == .key ? Version(3) : nil))
        #expect(try command.order().wait == .all)
    }

    @Test func onlyWhatIsMoreThanItSaysAsksFirst() {
        #expect(InvalidationKind.allCases.filter(\.isSweeping) == [.namespace, .all])
    }

    @Test func scanTakesAllItsFlags() throws {
        let images = try #require(Namespace("images"))
        let whole: ScanCommand = try Sample.command("scan --namespace images --node n1 --limit 5")
        #expect(whole.target == .namespace(images))
        #expect(whole.node?.name == "n1")
        #expect(whole.limit == 5)
        let prefix: ScanCommand = try Sample.command("scan --prefix u:")
        #expect(prefix.target == .prefix(Array("u:".utf8), in: .default))
        let tag: ScanCommand = try Sample.command("scan --tag t --namespace images")
        #expect(tag.target == .tag(try Sample.tag("t"), in: images))
        let match: ScanCommand = try Sample.command("scan --match u:*:x --limit 5 --keys")
        #expect(match.match?.bytes == Array("u:*:x".utf8) && match.limit == 5 && match.keys)
    }

    @Test func aPatternTakesAllItsFlags() throws {
        let command: InvalidateCommand = try Sample.command(
            "invalidate pattern u:*:x --rate 200/s --soft --wait quorum --dry-run --timeout 1s "
                + "--namespace images --json -q")
        let order = try command.patternOrder()
        #expect(order.pattern.bytes == Array("u:*:x".utf8))
        #expect(order.namespace.name == "images" && order.isQuiet && command.cluster.json)
        #expect(order.options.keysPerSecond == 200 && order.options.strength == .soft)
        #expect(order.options.wait == .quorum && order.options.isDryRun)
        #expect(order.options.timeout == .seconds(1))
        let plain: InvalidateCommand = try Sample.command("invalidate pattern u:*:x")
        #expect(try plain.patternOrder().options.keysPerSecond == 10_000)
        #expect(try plain.patternOrder().options.wait == .all)
    }

    /// It hides a namespace; another pattern is as a prefix.
    @Test func onlyAPatternThatIsEveryKeyNeedsConsent() throws {
        for line in ["*", "**", "?*", "*?", "*?*"] {
            let command: InvalidateCommand = try Sample.command("invalidate pattern \(line)")
            #expect(command.consent(isTerminal: false) == .missing)
            #expect(command.consent(isTerminal: true) == .toBeAskedFor)
            #expect(try command.patternOrder().summary == "every key of namespace default")
        }
        for line in ["a*", "?*?", "* --yes", "?* --dry-run"] {
            let command: InvalidateCommand = try Sample.command("invalidate pattern \(line)")
            #expect(command.consent(isTerminal: false) == .given)
        }
    }

    @Test(arguments: [
        ("user:*", "martlet invalidate prefix user: covers"),
        ("user:1", "martlet invalidate key user:1 covers"),
        ("* --yes", "martlet invalidate namespace default covers"),
        ("a* --namespace images", "martlet invalidate prefix a --namespace images covers"),
    ])
    func whatAnotherCommandSaysExactlyGetsAHint(line: String, words: String) throws {
        let command: InvalidateCommand = try Sample.command("invalidate pattern \(line)")
        #expect(try command.patternOrder().hint?.contains(words) == true)
        let other: InvalidateCommand = try Sample.command("invalidate pattern user:*:x")
        #expect(try other.patternOrder().hint == nil)
    }

    @Test func statusTailAndConfigTakeTheirFlags() throws {
        let status: StatusCommand = try Sample.command("status --watch --json")
        #expect(status.watch && status.cluster.json)
        let tail: TailCommand = try Sample.command("tail --from 2:9 --json")
        #expect(tail.from == ClusterPosition(Sample.position(9, epoch: 2)))
        #expect(tail.cluster.json)
        let check: ConfigCheckCommand = try Sample.command("config check a.yaml --json")
        #expect(check.file == "a.yaml" && check.json)
        let show: ConfigShowCommand = try Sample.command("config show a.yaml")
        #expect(show.file == "a.yaml")
        let served: ConfigShowCommand = try Sample.command("config show --timeout 1s")
        #expect(served.file == nil)
    }
}
