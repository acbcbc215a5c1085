import CacheConfiguration
import CommandSurface
import Testing

@testable import martlet

@Suite struct ConfigurationCheckTests {
    private func check(_ text: String) -> ConfigurationCheck {
        do throws(ConfigurationErrors) {
            return ConfigurationCheck(
                .success(try ClusterConfiguration.parse(text, fileName: "c.yaml")))
        } catch {
            return ConfigurationCheck(.failure(error))
        }
    }

    @Test func aGoodFileIsSummedUp() {
        let output = check("nodes: [{id: n1, shards: 2}, {id: n2}]\ntopology: replicated\n")
            .output(.plain)
        #expect(
            output.text.hasPrefix(
                "ok: 2 nodes, replicated, 3 shards, 512MiB of memory, 0 namespaces listed, "
            ))
        #expect(output.status == .done)
        #expect(output.complaints.isEmpty && output.problems.isEmpty)
    }

    @Test func diskTiersAreSummedUpWhereThereAreAny() {
        let text =
            "nodes: [{id: n1, disk: 1GiB, disk-directory: a}, {id: n2}, "
            + "{id: n3, disk: 2GiB, disk-directory: b}]\n"
        #expect(check(text).output(.plain).text.contains("768MiB of memory, 3GiB of disk, "))
        #expect(check(text).output(.json).text.contains(#","disk":3221225472,"#))
        let none = check("nodes: [{id: n1}]\n")
        #expect(!none.output(.plain).text.contains("disk"))
        #expect(none.output(.json).text.contains(#","disk":0,"#))
    }

    @Test func severalPublishersAreCounted() {
        let text = """
            publisher: {log: etcd, etcd: {endpoints: ['http://127.0.0.1:1']}}
            publishers:
              - {id: p1, endpoint: 'tcp://127.0.0.1:7400', state-directory: /s1}
              - {id: p2, endpoint: 'tcp://127.0.0.1:7500', state-directory: /s2}
            nodes: [{id: n1}]
            """
        #expect(check(text).output(.plain).text.hasPrefix("ok: 1 node, sharded, 2 publishers, "))
        #expect(check(text).output(.json).text.contains(#","publishers":2,"#))
        let one = check("nodes: [{id: n1}]\n")
        #expect(!one.output(.plain).text.contains("publisher"))
        #expect(one.output(.json).text.contains(#","publishers":1,"#))
    }

    @Test func everyProblemIsALineThatBeginsWithItsPlace() {
        let output = check("topology: shared\nnodes: [{id: n1, shard: 2}]\n").output(.plain)
        #expect(output.bytes.isEmpty)
        #expect(output.problems.count == 2)
        #expect(output.problems.first?.hasPrefix("c.yaml:1:11: topology: ") == true)
        #expect(output.problems.last?.hasPrefix("c.yaml:2:") == true)
        #expect(output.status == .unusableConfiguration)
    }

    @Test func jsonTellsTheSame() {
        let wrong = check("topology: shared\nnodes: [{id: n1}]\n").output(.json)
        #expect(
            wrong.text.hasPrefix(
                #"{"ok":false,"problems":[{"file":"c.yaml","line":1,"column":11,"path":"topology","#
            ))
        #expect(wrong.status == .unusableConfiguration)
        #expect(
            check("nodes: [{id: n1}]\n").output(.json).text.hasPrefix(
                #"{"ok":true,"nodes":1,"shards":1,"topology":"sharded","memory":268435456,"#))
    }
}
