import CacheConfiguration
import CacheModel
import Testing

/// Files that several tests read.
enum ConfigurationSamples {
    /// The least that is a cluster.
    static let least = "nodes:\n  - id: n1\n"

    /// Something at every key.
    static let full = """
        # two nodes
        version: 1
        topology: replicated
        publisher:
          endpoint: tcp://127.0.0.1:7500
          live-endpoint: tcp://127.0.0.1:7600
          lease: 4s
          heartbeat: 250ms
          retention: {records: 500, bytes: 1MiB, age: 12h}
          log: /var/lib/martlet/log
          log-sync: interval
          http: 7599
        gateway:
          bind: 127.0.0.1:7480
          http: 7597
          tokens: /etc/martlet/tokens
          jwt-keys: /etc/martlet/jwks.json
          jwt-audience: cache.example
          jwt-issuer: https://id.example
          allow-origin: [https://app.example, "http://localhost:3000"]
          tls-certificate: /etc/martlet/chain.pem
          tls-key: /etc/martlet/key.pem
          max-body: 32MiB
          max-connections: 500
          idle: 10s
        nodes:
          - id: left
            shards: 2
            weight: 0.5
            memory: 1GiB
            entries-max: 500000
            eviction: lru
            spin: 150us
            io-threads: 2
            warm-up: "off"
            warm-up-keys: 5000
            warm-up-rate: 250
            warm-up-bytes: 5MiB
            disk: 10GiB
            disk-directory: /var/lib/martlet/left
            queue-directory: /var/lib/martlet/left-queue
            http: "[::1]:7598"
            sample-log: 1/250
            disk-reads: ring
            disk-write-limit: 20MiB
            disk-free: 5GiB
            port: 7510
          - id: "right"
            endpoints:
              - ipc:///run/martlet/right
        defaults:
          ttl: 24h
          ttl-max: 7d
          ttl-jitter: 5%
          value-max: 1MiB
          suspect: refuse
          blind-set: hold-off
          hold-off: 3s
          load-lease: 10s
          stale-window: 0s
          replica-lag: 1500ms
        namespaces:
          images:
            value-max: 64MiB
            ttl: none
            memory-max: 40%
            entries-max: 10000
            when-full: refuse
          sessions:
            ttl-max: 1h
            blind-set: reject
            memory-guaranteed: 20%
            disk-max: 30%
          users:
            origin: https://api.example/users/{key}
          pages:
            suspect: serve
            suspect-window: 90s
            origin:
              url: http://127.0.0.1:8080/{+key}
              headers: {authorization: "Bearer abc", X-Team: "cache"}
              read: stale-while-revalidate
              coalesce: node
              lifetime: namespace
              stale-while-revalidate: 30s
              stale-if-error: 10m
              negative-ttl: 2s
              soft-timeout: 100ms
              timeout: 3s
              concurrency: 20
              queue: 100
              retries: 1
              breaker-pause: 1s
              early-refresh: 10%
              version-header: X-Version
              write-behind: true
          graph:
            origin:
              url: https://api.internal/graphql
              method: POST
              body: '{"query":"query($i: ID!) { user(id: $i) { name } }","variables":{"i":"{key}"}}'
              headers: {authorization: "Bearer ${file:api-token}"}
              tls: {authority: ca.pem, certificate: node.pem, key: node.key}
          plain:
        """

    /// Something at every key of a log on etcd that several publishers share.
    static let several = """
        publisher:
          lease: 4s
          retention: {records: 500, bytes: 1GiB}
          log: etcd
          etcd:
            endpoints: ["https://10.0.0.1:2379", https://etcd-2.example:2379]
            prefix: /caches/one
            user: martlet
            password-file: /etc/martlet/etcd-password
            ca: /etc/martlet/etcd-ca.pem
            certificate: /etc/martlet/etcd.pem
            key: /etc/martlet/etcd-key.pem
        publishers:
          - id: p1
            endpoint: tcp://10.0.0.1:7400
            http: 9400
            state-directory: /var/lib/martlet/publisher
          - id: p2
            endpoint: tcp://10.0.0.2:7400
            live-endpoint: tcp://10.0.0.2:7500
            http: 9400
            state-directory: /var/lib/martlet/publisher
        nodes: [{id: n1}]

        """

    /// One publisher with a log on etcd.
    static let etcd = """
        publisher:
          log: etcd
          etcd: {endpoints: ["http://127.0.0.1:2379"], state-directory: state}
        nodes: [{id: n1}]

        """

    /// The configuration of `text`; the test fails with the file's problems if it has any.
    static func parsed(_ text: String) throws -> ClusterConfiguration {
        try ClusterConfiguration.parse(text, fileName: "cluster.yaml")
    }

    /// The lines that refuse `text`; none if it is taken.
    static func refusal(of text: String) -> [String] {
        do throws(ConfigurationErrors) {
            _ = try ClusterConfiguration.parse(text, fileName: "f")
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }
}
