/* A run of a node: follows the log, asks for its lease, hands its shard one step at a time. */

/* Takes what can do nothing any more off the live channel, lest it tell states apart. */
inline tidyMessages(r) {
    if
    :: POSITION(runs[r].live) <= POSITION(runs[r].handed) -> runs[r].live = 0
    :: else
    fi
}

/* What came over the control channel has been dealt with, or has come too late. */
inline passOver(r) {
    runs[r].word = 0;
    runs[r].isPong = 0;
    if
    :: !runs[r].lease -> runs[r].isOldLease = 0
    :: else
    fi
}

/* The second node's shard reads its mailbox at once: one node that lags within itself is enough. */
inline deliverAtOnce(r) {
    if
    :: r == 1 -> runs[r].obeyed = runs[r].handed; runs[r].forgets = 0
    :: else
    fi
}

/* The next step for the shard: a record. TRUNCATED is an answer about one place, and means nothing
 * at the next. */
inline hand(r, m) {
    runs[r].handed = m;
    deliverAtOnce(r);
    tidyMessages(r);
    if
    :: runs[r].word != 0 && !runs[r].isPong -> passOver(r)
    :: else
    fi
}

/* The next step for the shard: to hide everything and go on from another place. No PONG to an
 * earlier PING gives a lease any more. */
inline leaveFor(r, m) {
    runs[r].handed = m;
    runs[r].forgets = 1;
    deliverAtOnce(r);
    tidyMessages(r);
    passOver(r)
}

#ifdef WITHOUT_EPOCH_ADOPTION
#define ADOPT(r, m) hand(r, m); passOver(r)
#else
#define ADOPT(r, m) leaveFor(r, m)
#endif

/* A process may sleep and wake with its lease. The first run does once the second has begun. */
#define IS_AWAKE(r) (runs[r].isUp && ((r) != 0 || !runs[2].isUp))

#define HAS_LETTER(r) \
    (IS_AWAKE(r) && !IS_BUSY(r) \
        && (runs[r].obeyed != runs[r].handed || runs[r].forgets))
#define IS_SETTLED(r)  (IS_AWAKE(r) && runs[r].obeyed == runs[r].handed)
#define FOLLOWS(r)     (IS_SETTLED(r) && runs[r].handed != 0)

/* Records. */

#define LIVE(r) runs[r].live
#define IS_OF_THIS_EPOCH(r) \
    (FOLLOWS(r) && LIVE(r) != 0 && marks[LIVE(r)].epoch == marks[runs[r].handed].epoch)
#define IS_OF_LATER_EPOCH(r) \
    (FOLLOWS(r) && LIVE(r) != 0 && marks[LIVE(r)].epoch > marks[runs[r].handed].epoch)

#ifdef WITHOUT_DIGEST_CHECK
#define IS_LINKED(r) 1
#else
#define IS_LINKED(r) (marks[LIVE(r)].parent == runs[r].handed)
#endif

/* One that follows by its number does so by its digest, or is not taken. */
#define IS_NEXT(r) \
    (IS_OF_THIS_EPOCH(r) && IS_LINKED(r) \
        && marks[LIVE(r)].sequence == marks[runs[r].handed].sequence + 1)

#define LEAVES_GAP(r) \
    (IS_OF_THIS_EPOCH(r) && marks[LIVE(r)].sequence > marks[runs[r].handed].sequence + 1)

/* Replay. The question is a claim as well, so it waits until the shard has obeyed. */

#define IS_HEARD(r) (hasHistory && (known & RUN(r)))

#define MAY_ASK(r) (FOLLOWS(r) && IS_HEARD(r) && runs[r].handed != head)

#define CAN_REPLAY(r) (IS_KEPT(runs[r].handed) && runs[r].log == marks[head].log)

/* The record that follows the run's place in the log; it comes like any other. */
inline replay(r) {
    x = head;
    do
    :: marks[x].parent == runs[r].handed -> break
    :: else -> x = marks[x].parent
    od;
    runs[r].live = x;
    x = 0
}

inline answer(r, grants) {
    passOver(r);
    runs[r].isPong = grants;
    runs[r].word = head
}

/* Goes on from the head that WELCOME or TRUNCATED told, hiding what it has. */
#define IS_WELCOMED(r) (runs[r].handed == 0 && runs[r].word != 0)
#define IS_TRUNCATED(r) \
    (FOLLOWS(r) && runs[r].word != 0 && !runs[r].isPong)

inline goOn(r) {
    x = runs[r].word;
    runs[r].log = marks[x].log;
    leaveFor(r, x);
    x = 0
}

/* Heads. */

/* Whether a head speaks of the log that is followed, and of a later epoch of it. */
#define IS_OF_ITS_LOG(r, m) (runs[r].handed != 0 && runs[r].log == marks[m].log)
#define IS_LATER_EPOCH(r, m) \
    (IS_OF_ITS_LOG(r, m) && marks[m].epoch > marks[runs[r].handed].epoch)

/* A head that lies behind must be what was applied there. */
#ifdef WITHOUT_DIGEST_CHECK
#define CONTRADICTS(r, m) 0
#else
#define CONTRADICTS(r, m) \
    (POSITION(m) <= POSITION(runs[r].handed) && !IS_IN(m, runs[r].handed))
#endif

/* The lease begins once the head of its PONG has been obeyed. */
#ifdef WITHOUT_LEASE_AFTER_HEAD
#define HAS_REACHED(r, m) 1
#else
#define HAS_REACHED(r, m) (POSITION(runs[r].obeyed) >= POSITION(m))
#endif

#define VOUCHES(r) \
    (runs[r].isPong && IS_AWAKE(r) && !runs[r].forgets && IS_OF_ITS_LOG(r, runs[r].word) \
        && marks[runs[r].word].epoch == marks[runs[r].handed].epoch \
        && !CONTRADICTS(r, runs[r].word) && HAS_REACHED(r, runs[r].word))

inline takeLease(r) {
    runs[r].lease = 1;
#ifdef WITHOUT_LEASE_END
    runs[r].stillClaims = 1;
#endif
    runs[r].word = 0;
    runs[r].isPong = 0;
    if
    :: granted & RUN(r) -> runs[r].isOldLease = 0
    :: else
    fi
}

#define MAY_PING(r) \
    (IS_AWAKE(r) && runs[r].obeyed != 0 && !runs[r].forgets && (known & RUN(r)) \
        && MAY_BE_HEARD(r, CLAIM(r)))

proctype Node(byte r) {
end:
    do
    /* The shard. */
    :: d_step { HAS_LETTER(r) && !runs[r].forgets -> obey(r) }
    :: d_step { HAS_LETTER(r) && runs[r].forgets -> forget(r) }
    :: d_step { runs[r].keyFloor > 0 ->                /* a table without room drops it       */
            raise(runs[r].tokenBase, runs[r].keyFloor);
            runs[r].keyFloor = 0 }
    :: d_step { runs[r].tagFloor > 0 && !IS_BUSY(r) -> /* every entry was held against it     */
            if
            :: runs[r].fill < runs[r].tagFloor -> drop(r)
            :: else
            fi;
            raise(runs[r].tokenBase, runs[r].tagFloor);
            runs[r].tagFloor = 0;
            tidyFloors(r) }
#ifdef WITHOUT_ONE_DECISION
    :: d_step { IS_VISIBLE(r) && runs[r].lease && !IS_BUSY(r) -> runs[r].stillClaims = 1 }
    :: d_step { IS_BUSY(r) -> runs[r].stillClaims = 0 }
#endif

    /* Introducing itself, at its beginning and to a publisher that has started anew. */
    :: d_step { IS_AWAKE(r) && !(known & RUN(r)) && MAY_BE_HEARD(r, CLAIM(r)) -> introduce(r) }
    :: d_step { IS_AWAKE(r) && runs[r].handed == 0 && IS_HEARD(r) -> answer(r, 0) }
    :: d_step { IS_WELCOMED(r) -> goOn(r) }

    /* Records, live or sent again. */
    :: d_step { IS_NEXT(r) -> x = LIVE(r); hand(r, x); x = 0 }
    :: d_step { IS_OF_LATER_EPOCH(r) -> x = marks[LIVE(r)].parent; ADOPT(r, x); x = 0 }
#ifdef WITHOUT_REPLAY
    :: d_step { LEAVES_GAP(r) -> x = LIVE(r); hand(r, x); x = 0 }
#endif
    :: d_step { MAY_ASK(r) && CAN_REPLAY(r) -> replay(r) }
    :: d_step { MAY_ASK(r) && !CAN_REPLAY(r) && POSITION(head) > POSITION(runs[r].handed) ->
            answer(r, 0) }
    :: d_step { IS_TRUNCATED(r) -> goOn(r) }

    /* Heads, and the lease. */
    :: d_step { FOLLOWS(r) && hasHistory && IS_LATER_EPOCH(r, head) -> ADOPT(r, head) }
    :: d_step { FOLLOWS(r) && runs[r].isPong && IS_LATER_EPOCH(r, runs[r].word) ->
            x = runs[r].word; ADOPT(r, x); x = 0 }
    :: d_step { MAY_PING(r) -> x = CLAIM(r); ping(r, x); x = 0 }
    :: d_step { VOUCHES(r) && !IS_BUSY(r) -> takeLease(r) }
    od
}
