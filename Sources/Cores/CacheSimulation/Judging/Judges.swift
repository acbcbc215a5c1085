/// All judges. Each checks what crosses the boundary of a core against docs/consistency.md; none
/// changes the course of a seed.
struct Judges {
    let leases: LeaseJudge
    let lives: LifeJudge
    let stores: StoreJudge
    let answers: AnswerJudge
    let loads: LoadJudge
    let log: LogJudge
    let owners: OwnersJudge

    init(
        _ history: (disk: SimulatedDisk?, ledger: StoreLedger?), _ chronicle: Chronicle,
        _ requests: RequestTable,
        _ origin: SimulatedOrigin, _ configuration: ClusterConfiguration
    ) {
        let nodes = configuration.nodes
        leases = LeaseJudge(nodes: nodes, chronicle: chronicle)
        lives = LifeJudge(nodes)
        stores = StoreJudge(chronicle, origin, leases, lives)
        owners = OwnersJudge(nodes)
        answers = AnswerJudge(
            nodes: nodes, chronicle: chronicle, requests: requests, origin: origin,
            leases: leases, stores: stores, owners: owners)
        loads = LoadJudge(chronicle: chronicle, origin: origin, stores: stores)
        log = LogJudge(history, requests, configuration, leases, loads)
    }
}
