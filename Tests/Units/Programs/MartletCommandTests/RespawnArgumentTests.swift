import Testing

@testable import martlet

@Suite struct RespawnArgumentTests {
    @Test(arguments: [
        (["up", "--respawn"], ["up", "--respawn=1s"]),
        (["up", "--respawn", "--nodes", "2"], ["up", "--respawn=1s", "--nodes", "2"]),
        (["up", "--respawn", "5s"], ["up", "--respawn", "5s"]),
        (["up", "--respawn=5s"], ["up", "--respawn=5s"]),
        (["get", "key"], ["get", "key"]),
    ])
    func respawnAloneMeansOneSecond(given: [String], read: [String]) {
        #expect(MartletCommand.completed(given) == read)
    }
}
