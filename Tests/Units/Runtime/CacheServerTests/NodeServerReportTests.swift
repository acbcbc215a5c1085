import TestSupport

#if os(Linux)
    import CacheNodeCore
    import CacheServer
    import Testing

    /// What a node reports to monitoring systems.
    @Suite struct NodeServerReportTests {
        @Test(arguments: [false, true])
        func readinessNeedsOriginsOnlyWhereThatIsWanted(isWanted: Bool) throws {
            let tree = try KernelTree.container(limit: "\(400 << 20)", used: 20 << 20)
            let node = try RunningNode(tree, memory: 64 << 20, shards: 1, log: LinesLogged()) {
                $0.readyNeedsOrigins = isWanted
            }
            defer { node.stop() }
            #expect(try node.report()?.needsOrigins == isWanted)
        }
    }
#endif
