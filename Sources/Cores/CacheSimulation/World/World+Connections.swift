/// Sockets that connect, break and connect again.
extension World {
    func subscribe(_ run: SimulatedRun) {
        // One message for each of the two topics.
        for _ in 0..<2 {
            send(.subscription(run: run.number), over: run.links.subscribe, run: run.number)
        }
    }

    /// Makes a new subscription; messages of the old one are lost.
    func resubscribe(_ run: SimulatedRun) {
        links[run.links.live].reconnect()
        links[run.links.subscribe].reconnect()
        run.liveFrames = []
        publisher.subscriptions[run.number] = nil
        subscribe(run)
    }

    /// Makes a new control connection; the publisher sees another peer.
    func connectControl(_ run: SimulatedRun) {
        links[run.links.toPublisher].reconnect()
        links[run.links.fromPublisher].reconnect()
        run.controlFrames = []
        publisher.owners[run.peer] = nil
        run.peer = nextPeer(.run(run.number))
    }

    func nextPeer(_ owner: SimulatedPublisher.Owner) -> UInt32 {
        peerCount += 1
        publisher.owners[peerCount] = owner
        return peerCount
    }

    /// The publisher is unreachable: the node's messages wait in its socket.
    func loseConnections(_ run: SimulatedRun) {
        guard !run.seeksPublisher else { return }
        run.seeksPublisher = true
        links[run.links.toPublisher].holdCount += 1
    }

    /// The sockets have reconnected to the publisher, without the node's knowledge.
    func reconnect(_ run: SimulatedRun) {
        guard !run.isDead, run.seeksPublisher, publisher.isUp else { return }
        note(.node(run.number), "is connected again")
        run.seeksPublisher = false
        let link = run.links.toPublisher
        let waiting = links[link].held
        links[link].holdCount -= 1
        let (frames, live) = (run.controlFrames, run.liveFrames)
        resubscribe(run)
        connectControl(run)
        // The sockets stay the same, and so do the messages in them.
        (run.controlFrames, run.liveFrames) = (frames, live)
        for parcel in waiting {
            guard case .toPublisher(_, let frame) = parcel.cargo else { continue }
            send(.toPublisher(peer: run.peer, frame), over: link, run: run.number)
        }
    }
}
