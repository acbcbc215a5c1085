/* The publisher: one log, who holds a grant, who owes what to a receipt. And the writer, who
 * commits at the origin, has it invalidated, and waits for all. */

/* Whose lease may still be running: who is waited for. */
#ifdef WITHOUT_UNKNOWN_GRANTS
#define HOLDERS granted
#else
#define HOLDERS (granted | (inherited -> unheard << 3 : 0))
#endif

/* What a run says of itself: what its shard has obeyed. */
#ifdef WITHOUT_SHARDS_OBEYED
#define CLAIM(r) runs[r].handed
#else
#define CLAIM(r) runs[r].obeyed
#endif

/* How a claim stands to the log. */
#define IS_KEPT(m) (IS_IN(m, head) && marks[m].sequence + 1 >= tail)
#define IS_AHEAD(m) (POSITION(m) > POSITION(head))
#define IS_UNLIKE(m) \
    (!IS_AHEAD(m) && marks[m].epoch == marks[head].epoch \
        && marks[m].sequence + 1 >= tail && !IS_IN(m, head))

/* Another log that lies behind this one: nobody has ever built on it. */
#define IS_STRAY(r, m) \
    (IS_UNLIKE(m) && runs[r].log != marks[head].log && POSITION(m) < POSITION(head))

/* While nothing was appended since a start without records, a node that is ahead says where the
 * log stands. */
#ifdef MEMORY_LOG
#define MAY_CONTINUE_ANOTHER (!hasAppended)
#else
#define MAY_CONTINUE_ANOTHER 0
#endif

#ifdef WITHOUT_MARK_DIGEST
#define COUNTS_AS_OURS(m) (IS_KEPT(m) || IS_UNLIKE(m))
#else
#define COUNTS_AS_OURS(m) IS_KEPT(m)
#endif

#define CONTINUES(m) (IS_AHEAD(m) && MAY_CONTINUE_ANOTHER)

#ifdef WITHOUT_NEW_EPOCH
#define NEEDS_EPOCH(r, m) 0
#else
#define NEEDS_EPOCH(r, m) \
    (hasHistory && !COUNTS_AS_OURS(m) && !CONTINUES(m) \
        && (IS_AHEAD(m) || (IS_UNLIKE(m) && !IS_STRAY(r, m))))
#endif

/* The bound on epochs is the model's: what would pass it is not looked at. */
#define MAY_BE_HEARD(r, m) (!NEEDS_EPOCH(r, m) || epochCount < EPOCHS)

/* Everybody is sent the record; for each it may be lost. */
inline broadcast(m) {
    for (i : 0 .. 2) {
        if
        :: runs[i].isUp -> runs[i].live = m
        :: else
        fi
    };
    i = 0
}

/* What was being written when an epoch begins nobody has heard of: it is numbered anew. */
inline abandonAppend() {
    if
    :: appending != 0 ->
        stage = (marks[appending].scope == OTHER -> IDLE : COMMITTED);
        appending = 0
    :: else
    fi
}

inline openEpoch(after, theLog) {
    newBeginning(marks[after].epoch + 1, theLog);
    head = top;
    tail = 1;
    abandonAppend()
}

/* A run says where it stands. */
inline hear(r, m) {
    isOurs = 0;
    if
    :: !hasHistory ->
        if
        :: POSITION(m) > POSITION(told) -> told = m
        :: else
        fi
    :: hasHistory && COUNTS_AS_OURS(m) -> isOurs = 1
    :: hasHistory && !COUNTS_AS_OURS(m) && CONTINUES(m) ->
        head = m;
        tail = marks[m].sequence + 1;
        isOurs = 1
    :: hasHistory && NEEDS_EPOCH(r, m) ->
        /* A log that has lost nothing goes on, and nothing is hidden. */
        assert(hasLost);
        if
        :: marks[m].epoch > marks[head].epoch -> openEpoch(m, marks[head].log)
        :: else -> openEpoch(head, marks[head].log)
        fi
    :: else
    fi;
    if
    :: isOurs && awaited != 0 && POSITION(m) >= POSITION(awaited) -> owed = owed & ~RUN(r)
    :: else
    fi;
    /* The log is not behind a place that it was told of: numbers are not used twice. */
    assert(!hasHistory || !IS_AHEAD(m))
}

/* PING: hear, and grant if the mark is the log's. The grant stands from here on, the lease when
 * the PONG has come. */
inline ping(r, m) {
    hear(r, m);
    if
    :: isOurs -> granted = granted | RUN(r); answer(r, 1)
    :: else
    fi;
    isOurs = 0
}

/* HELLO. Who knows a log may hold a lease of an earlier publisher; what was owed by its node's
 * unheard-of run is owed by this one. */
inline introduce(r) {
    excuseTwin(r);
#ifdef WITHOUT_INCARNATION
    if
    :: NODE_OF(r) == 0 -> known = known & ~5; granted = granted & ~5
    :: else
    fi;
#endif
    known = known | RUN(r);
    unheard = unheard & ~(1 << NODE_OF(r));
#ifndef WITHOUT_INHERITED_GRANTS
    if
    :: inherited && runs[r].handed != 0 -> granted = granted | RUN(r)
    :: else
    fi;
#endif
    if
    :: owed & UNHEARD(NODE_OF(r)) ->
        owed = owed & ~UNHEARD(NODE_OF(r));
        owed = owed | (granted & RUN(r))
    :: else
    fi;
    if
    :: runs[r].obeyed != 0 && !runs[r].forgets -> x = CLAIM(r); hear(r, x); x = 0; isOurs = 0
    :: else
    fi
}

inline endLease(r) {
    runs[r].lease = 0;
    runs[r].isOldLease = 0;
    if
    :: runs[r].isPong -> runs[r].isPong = 0; runs[r].word = 0
    :: else
    fi
}

/* A grant is over. The publisher counts longer than the node, so the lease is over by now, and
 * what is left of a PONG is worth nothing. */
inline expire(r) {
    granted = granted & ~RUN(r);
    owed = owed & ~RUN(r);
#ifndef WITHOUT_GRANT_MARGIN
    endLease(r)
#endif
}

/* One lease and a hundredth after the publisher's start: every lease from before is over. */
inline endInheritance() {
    inherited = 0;
    owed = owed & ~(UNHEARD(0) | UNHEARD(1));
    for (i : 0 .. 2) {
        if
        :: runs[i].isOldLease -> endLease(i)
        :: else
        fi
    };
    i = 0
}

/* Of two runs of one node at a publisher's death, the one that is not heard first may keep the
 * rest of its lease and is not waited for (decision 4, which says so). It is let out of the promise
 * by ending its lease here. */
inline excuseTwin(r) {
#if NODE_STARTS && !defined WITHOUT_EXCUSE_OF_TWINS
    if
    :: r != 1 && (unheard & 1) && !(known & RUN(2 - r)) ->
        x = 2 - r;
        endLease(x);
        x = 0
    :: else
    fi
#else
    skip
#endif
}

/* A publisher that lost its records waits until every node was heard, or every earlier lease is
 * over, and goes on where the furthest stands. */
#ifdef WITHOUT_RESTART_WAIT
#define MAY_DECIDE (!hasHistory)
#else
#define MAY_DECIDE (!hasHistory && (unheard == 0 || !inherited))
#endif

inline decideHistory() {
#ifdef WITHOUT_CONTINUED_HISTORY
    newBeginning(1, starts + 1);
    head = top;
#else
    if
    :: told != 0 -> head = told
    :: else -> newBeginning(1, starts + 1); head = top
    fi;
#endif
    tail = marks[head].sequence + 1;
    hasHistory = true;
    /* Records that nobody told of are lost, and what a receipt said of them with them. */
    if
    :: unheard == 0 || !inherited -> excuseLoss(told)
    :: else
    fi;
    told = 0
}

inline excuseLoss(m) {
#ifndef WITHOUT_EXCUSE_OF_LOSS
    if
    :: acknowledged > marks[m].version -> acknowledged = marks[m].version
    :: else
    fi
#else
    skip
#endif
}

/* The record is the head: everybody is told, and the waiting begins. */
inline publish(m) {
    head = m;
    hasAppended = true;
#ifndef WITHOUT_DURABLE_BEFORE_TOLD
    broadcast(m);
#endif
#ifdef WITHOUT_WAIT_SET
    owed = 0;
#elif !defined WITHOUT_WAIT_SET_AFTER_HEAD
    owed = HOLDERS;
#endif
    awaited = m;
    stage = WAITING
}

#define MAY_APPEND (hasHistory && recordCount < RECORDS)

inline beginAppend(theScope) {
    newRecord(head, theScope);
#ifdef WITHOUT_WAIT_SET_AFTER_HEAD
    owed = HOLDERS;
#endif
#ifdef WITHOUT_DURABLE_BEFORE_TOLD
    broadcast(top);
#endif
#ifdef MEMORY_LOG
    publish(top)
#else
    appending = top;
    stage = WRITING
#endif
}

inline endWait() {
    awaited = 0;
    owed = 0;
    stage = IDLE
}

/* The publisher that would have known the record is gone: it is appended once more. */
inline askAnew() {
    stage = (marks[awaited].scope == OTHER -> IDLE : COMMITTED);
    awaited = 0
}

proctype Publisher() {
end:
    do
#ifdef MEMORY_LOG
    :: d_step { MAY_DECIDE -> decideHistory() }
#else
    :: d_step { appending != 0 -> x = appending; appending = 0; publish(x); x = 0 }
#endif
    /* Grants run out. */
    :: d_step { granted & RUN(0) -> expire(0) }
    :: d_step { granted & RUN(1) -> expire(1) }
    :: d_step { granted & RUN(2) -> expire(2) }
    :: d_step { inherited -> endInheritance() }
#if RETENTION
    /* The oldest record leaves. */
    :: d_step { hasHistory && tail <= marks[head].sequence -> tail++ }
#endif
    od
}

proctype Writer() {
end:
    do
    /* Commit first, then invalidate: by the key or by the tag. Or something else. */
    :: d_step { stage == IDLE && recordCount < RECORDS -> origin++; stage = COMMITTED }
    :: d_step { stage == COMMITTED && MAY_APPEND -> beginAppend(KEY) }
    :: d_step { stage == COMMITTED && MAY_APPEND -> beginAppend(TAG) }
    :: d_step { stage == IDLE && MAY_APPEND -> beginAppend(OTHER) }
    /* The receipt: everybody who held a grant has obeyed, or cannot call anything fresh. */
    :: d_step { stage == WAITING && owed == 0 ->
            raise(acknowledged, marks[awaited].version);
            endWait() }
    /* It has waited long enough, or not at all. */
    :: d_step { stage == WAITING && owed != 0 -> endWait() }
    /* Asked again, a publisher that still has the record waits for it; another one appends. */
    :: d_step { stage == ASKING && hasHistory ->
            if
            :: IS_KEPT(awaited) -> owed = HOLDERS; stage = WAITING
            :: else -> askAnew()
            fi }
    od
}
