/* Two publishers lead one log in turn, on a store with linearizable transactions: small enough to
 * look at every state they can be in (docs/decisions/0118).
 *
 *   pan checks that after a complete receipt no node with a lease is behind the record, that a
 *   record is never replaced, that an acknowledged record is in the log, and that what was refused
 *   is not.
 *
 * Time is left out, as in coherence.pml: the store may drop a leader at any moment, a publisher may
 * learn of that at any later moment or never, and a lease may end at any moment. What is left of
 * time is its order: a lease bears the number of the terms that had begun when its PING was sent.
 * A new leader waits until all leases with an earlier number than its own term are over.
 *
 * A request to the store may be lost, or be executed at any later moment, also after its sender was
 * deposed; its answer may be lost. Each rule is left out by a flag, WITHOUT_ and its name in
 * Sources/Model/CacheModel/ProtocolGuard.swift.
 */

#ifndef TERMS
#define TERMS 3                         /* terms that begin                                      */
#endif
#ifndef RECORDS
#define RECORDS 2
#endif

/* The store. */
byte leader = 0;                        /* the term that leads; 0 without one                    */
byte head = 0;
byte writer[RECORDS + 1];               /* the term that wrote each record                       */
byte wins = 0;                          /* terms that have begun                                 */

/* The publishers. */
byte term[2];                           /* that each believes to lead in; 0: none                */
byte known[2];                          /* its head                                              */
byte asked[2];                          /* the record of the append under way; 0 without one     */
byte queued[2];                         /* the record of a request that may be executed          */
byte queuedTerm[2];
bit isRefused[2];                       /* whether its client was told that nothing was done     */
byte answer[2];                         /* 1 executed, 2 the comparison failed; 0 none           */
byte waiting[2];                        /* the record of a receipt that is waited for            */
bit hasWaited[2];                       /* whether the leases of predecessors are over           */
bit mayHold[4];                         /* by publisher and node: a lease that it counts         */
bit isAwaited[4];                       /* the same, of the receipt                              */

/* The nodes. */
byte applied[2];
bit lease[2];
byte leaseOf[2];                        /* the number of terms when its PING was sent            */
byte leaseBy[2];
byte ping[2];                           /* to publisher p: p + 1                                 */
byte pingOf[2];
byte proven[2];                         /* the same, once it is confirmed                        */
bit pong[2];
byte pongHead[2];
byte pongOf[2];
byte pongBy[2];

byte over = 0;                          /* leases with a smaller number are over                 */
byte acknowledged = 0;                  /* the newest record with a complete receipt             */

#define HOLDS(p, n) mayHold[2 * (p) + (n)]
#define AWAITS(p, n) isAwaited[2 * (p) + (n)]
#define HAS_LEASE_OF(p, n) (lease[n] && leaseBy[n] == (p))
#define MAY_GET_LEASE_OF(p, n) (pong[n] && pongBy[n] == (p) && pongOf[n] >= over)

inline lead(p) {
    wins++;
    leader = wins;
    term[p] = wins;
    known[p] = head;
    asked[p] = 0;
    answer[p] = 0;
    waiting[p] = 0;
#ifdef WITHOUT_INHERITED_LEASE
    hasWaited[p] = 1;
    HOLDS(p, 0) = 0;
    HOLDS(p, 1) = 0
#else
    hasWaited[p] = 0;
    HOLDS(p, 0) = 1;
    HOLDS(p, 1) = 1
#endif
}

inline appended(p) {
    known[p] = asked[p];
    waiting[p] = asked[p];
    asked[p] = 0;
    answer[p] = 0;
    AWAITS(p, 0) = HOLDS(p, 0);
    AWAITS(p, 1) = HOLDS(p, 1)
}

proctype Publisher(byte p) {
end:
    do
    :: atomic { term[p] == 0 && leader == 0 && wins < TERMS -> lead(p) }
    :: atomic { term[p] != 0 && leader != term[p] -> term[p] = 0; asked[p] = 0; answer[p] = 0 }

    /* An append, repeated as it is until its outcome is known. */
    :: atomic { (term[p] != 0 && asked[p] == 0 && waiting[p] == 0 && known[p] < RECORDS
            && queued[p] == 0) ->
        asked[p] = known[p] + 1; queued[p] = asked[p]; queuedTerm[p] = term[p]; isRefused[p] = 0 }
    :: atomic { asked[p] != 0 && queued[p] == 0 && answer[p] == 0 ->
        queued[p] = asked[p]; queuedTerm[p] = term[p]; isRefused[p] = 0 }
    :: atomic { asked[p] != 0 && answer[p] == 1 -> appended(p) }
    :: atomic { asked[p] != 0 && answer[p] == 2 ->
        if
        :: asked[p] <= head && writer[asked[p]] == term[p] -> appended(p)
        :: else -> term[p] = 0; asked[p] = 0; answer[p] = 0
        fi }
#ifdef WITHOUT_UNKNOWN_NOT_DONE
    :: atomic { asked[p] != 0 && answer[p] == 0 -> appended(p) }
#endif
#ifdef WITHOUT_UNKNOWN_NOT_FAILED
    :: atomic { asked[p] != 0 && answer[p] == 0 -> isRefused[p] = 1; asked[p] = 0 }
#endif

    /* A receipt of all. */
    :: atomic { (waiting[p] != 0
            && (!AWAITS(p, 0) || applied[0] >= waiting[p] || !HOLDS(p, 0))
            && (!AWAITS(p, 1) || applied[1] >= waiting[p] || !HOLDS(p, 1))) ->
        assert(waiting[p] <= head);
        if
        :: waiting[p] > acknowledged -> acknowledged = waiting[p]
        :: else
        fi;
        waiting[p] = 0 }

    /* Its predecessors' leases, and its own grants, end after the leases that they stand for. */
    :: atomic { (term[p] != 0 && !hasWaited[p]
            && !(lease[0] && leaseOf[0] < term[p]) && !(lease[1] && leaseOf[1] < term[p])) ->
        hasWaited[p] = 1;
        if
        :: term[p] > over -> over = term[p]
        :: else
        fi }
    :: atomic { (HOLDS(p, 0) && hasWaited[p]
            && !HAS_LEASE_OF(p, 0) && !MAY_GET_LEASE_OF(p, 0)) -> HOLDS(p, 0) = 0 }
    :: atomic { (HOLDS(p, 1) && hasWaited[p]
            && !HAS_LEASE_OF(p, 1) && !MAY_GET_LEASE_OF(p, 1)) -> HOLDS(p, 1) = 0 }
    od
}

#ifdef WITHOUT_LEADER_CONFIRMED
#define IS_PROVEN(p) (1)
#else
#define IS_PROVEN(p) (leader == term[p])
#endif

/* PING and PONG of a node. The read of the leader begins after the PING has arrived. */
proctype Leases(byte n) {
    byte p;
end:
    do
    :: atomic { ping[n] == 0 && proven[n] == 0 -> ping[n] = 1; pingOf[n] = wins }
    :: atomic { ping[n] == 0 && proven[n] == 0 -> ping[n] = 2; pingOf[n] = wins }
    :: ping[n] = 0                      /* lost                                                  */
    :: atomic { (ping[n] != 0 && term[ping[n] - 1] != 0 && IS_PROVEN(ping[n] - 1)) ->
        proven[n] = ping[n]; ping[n] = 0 }
    :: atomic { proven[n] != 0 && !pong[n] ->
        p = proven[n] - 1;
        proven[n] = 0;
        if
        :: term[p] != 0 ->
            HOLDS(p, n) = 1; pong[n] = 1; pongHead[n] = known[p]; pongOf[n] = pingOf[n];
            pongBy[n] = p
        :: else
        fi;
        p = 0 }
    :: atomic { pong[n] && applied[n] >= pongHead[n] ->
        if
        :: pongOf[n] >= over -> lease[n] = 1; leaseOf[n] = pongOf[n]; leaseBy[n] = pongBy[n]
        :: else
        fi;
        pong[n] = 0; pongHead[n] = 0; pongOf[n] = 0; pongBy[n] = 0 }
    :: atomic { pong[n] -> pong[n] = 0; pongHead[n] = 0; pongOf[n] = 0; pongBy[n] = 0 }
    :: atomic { lease[n] -> lease[n] = 0; leaseOf[n] = 0; leaseBy[n] = 0 }
    :: applied[n] < head -> applied[n]++
    od
}

#ifdef WITHOUT_APPEND_FENCE
#define IS_OF_LEADER(p) (1)
#else
#define IS_OF_LEADER(p) (queuedTerm[p] == leader)
#endif

#ifdef WITHOUT_HEAD_FENCE
#define IS_AT_HEAD(p) (1)
#else
#define IS_AT_HEAD(p) (queued[p] == head + 1)
#endif

inline execute(p) {
    if
    :: IS_OF_LEADER(p) && IS_AT_HEAD(p) ->
        assert(!isRefused[p]);          /* its client was told that nothing was invalidated      */
        assert(queued[p] > head);       /* a record is never replaced                            */
        head = queued[p];
        writer[head] = queuedTerm[p];
        if
        :: queuedTerm[p] == term[p] && asked[p] == queued[p] -> answer[p] = 1
        :: true                         /* the answer is lost                                    */
        fi
    :: else ->
        if
        :: queuedTerm[p] == term[p] && asked[p] == queued[p] -> answer[p] = 2
        :: true
        fi
    fi;
    queued[p] = 0;
    queuedTerm[p] = 0;
    isRefused[p] = 0
}

proctype Store() {
end:
    do
    :: leader != 0 -> leader = 0        /* its lease is over, or was revoked                     */
    :: atomic { queued[0] != 0 -> execute(0) }
    :: atomic { queued[1] != 0 -> execute(1) }
    :: atomic { queued[0] != 0 -> queued[0] = 0; queuedTerm[0] = 0; isRefused[0] = 0 }
    :: atomic { queued[1] != 0 -> queued[1] = 0; queuedTerm[1] = 0; isRefused[1] = 0 }
    od
}

#define IS_BEHIND(n) (lease[n] && applied[n] < acknowledged)

proctype Judge() {
end:
    do
    :: IS_BEHIND(0) || IS_BEHIND(1) -> assert(!IS_BEHIND(0) && !IS_BEHIND(1))
    od
}

init {
    atomic {
        run Publisher(0);
        run Publisher(1);
        run Leases(0);
#if NODES > 1
        run Leases(1);
#endif
        run Store();
        run Judge()
    }
}
