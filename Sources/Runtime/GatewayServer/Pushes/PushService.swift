import CacheModel
import Logging
import MartletClient
import GatewayCore
import ServiceLifecycle
import Threading

/// Background work of the pushes for as long as the gateway runs: follows the log, runs timers,
/// continues replays. When it is asked to stop, every subscriber is disconnected first.
struct PushService: Service {
    var sharedHub: SharedPushHub
    var client: CacheClient
    var tokens: TokenAuthenticator?
    var near: SharedNearCache?
    var logger: Logger

    func run() async throws {
        await withGracefulShutdownHandler {
            await cancelWhenGracefulShutdown {
                await withDiscardingTaskGroup { group in
                    group.addTask {
                        await PushFollower(
                            sharedHub: sharedHub, client: client, near: near, logger: logger
                        ).follow()
                    }
                    group.addTask { await tick() }
                    group.addTask { await replay() }
                }
            }
        } onGracefulShutdown: {
            sharedHub.tell { hub, _, actions in hub.stop(into: &actions) }
        }
    }

    private func tick() async {
        var count = 0
        while await Task.slept(for: PushLimits.tickSpacing) {
            count += 1
            let looksAtTokens = count % Self.ticksBetweenLooks == 0
            sharedHub.tell { hub, now, actions in
                hub.tick(now: now, into: &actions)
                guard let tokens, looksAtTokens else { return }
                hub.revoke(where: { !tokens.holds($0) }, into: &actions)
            }
        }
    }

    private static let ticksBetweenLooks = 10

    private func replay() async {
        for await _ in sharedHub.bell {
            while !Task.isCancelled, sharedHub.step() { await Task.yield() }
        }
    }
}
