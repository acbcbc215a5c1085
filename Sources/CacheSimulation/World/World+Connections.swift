/// Sockets that connect, break and connect again.
extension World {
    func subscribe(_ run: SimulatedRun) {
        // One message for each of the two topics.
        for _ in 0..<2 {
            send(.subscription(run: run.number), over: run.links.subscribe, run: run.number)
        }
    }

    /// The subscription is made anew; what was under way on the old one is gone.
    func resubscribe(_ run: SimulatedRun) {
        links[run.links.live].reconnect()
        links[run.links.subscribe].reconnect()
        run.liveFrames = []
        publisher.subscriptions[run.number] = nil
        subscribe(run)
    }

    /// The control connection is made anew; the publisher sees another peer.
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

    /// Its publisher is out of reach: what the node sends waits in its socket.
    func loseConnections(_ run: SimulatedRun) {
        guard !run.seeksPublisher else { return }
        run.seeksPublisher = true
        links[run.links.toPublisher].holdCount += 1
    }

    /// The sockets have found the publisher again, by themselves: the node is not told.
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
        // The sockets stay the same, and so does what lies in them.
        (run.controlFrames, run.liveFrames) = (frames, live)
        for parcel in waiting {
            guard case .toPublisher(_, let frame) = parcel.cargo else { continue }
            send(.toPublisher(peer: run.peer, frame), over: link, run: run.number)
        }
    }
}
