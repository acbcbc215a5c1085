/* The members of a sharded cluster change and change back while its publisher, its nodes and its
 * clients go on: small enough to look at every state they can be in.
 *
 *   pan checks that a store which an owner acknowledged inside its lease is never undone: no node
 *   calls an older value of its key fresh.
 *
 * There is one key, and there are two lists of members: by list 0 the key is node 0's, by list 1
 * it is node 1's. A change of members puts two records into the log (docs/decisions/0084): the
 * first says who the members are and that they are moving, the second that they are settled.
 *
 * Time is left out, as in coherence.pml: a lease may end at any moment, and a grant at any moment
 * after the lease that it stands for. Each rule is left out by a flag, WITHOUT_ and its name in
 * Sources/Model/CacheModel/ProtocolGuard.swift.
 */

#ifndef CHANGES
#define CHANGES 2                       /* changes of the configuration                          */
#endif
#ifndef PUBLISHER_STARTS
#define PUBLISHER_STARTS 1              /* times that the publisher starts anew                  */
#endif
#ifndef STORES
#define STORES 3
#endif
#define RECORDS 7                       /* no more can be appended within these bounds           */

/* The log, on disk: what each record says. */
byte head = 0;
bit listOf[RECORDS];
bit settledBy[RECORDS];

/* The publisher, and its book, which outlives it. */
bit wanted = 0;                         /* the list of the configuration                         */
bit bookList = 0;
bit bookSettled = 1;
byte movingAt = 0;                      /* the record that everybody has to obey; 0 without one  */
bit mayHold[2];                         /* whose lease may still be running                      */
byte claimed[2];                        /* what each node has said to have obeyed                */
byte changes = 0;
byte starts = 0;

/* The nodes. */
byte applied[2];
bit list[2];
bit isSettled[2];
bit lease[2];
byte offer[2];                          /* a PONG on its way: its head, and one more             */
byte version[2];                        /* of the value that is held; 0 without one              */

byte stored = 0;
byte acknowledged = 0;

#ifdef WITHOUT_OWNERSHIP
#define ANSWERS(n) (1)
#else
#define ANSWERS(n) (list[n] == n && isSettled[n])
#endif

#define UNDOES(n) \
    (lease[n] && ANSWERS(n) && version[n] != 0 && version[n] < acknowledged)

#ifdef WITHOUT_SETTLED_MEMBERS
#define HAS_OBEYED(n) (1)
#else
#define HAS_OBEYED(n) (!mayHold[n] || claimed[n] >= movingAt)
#endif

inline append(what, settles) {
    listOf[head] = what;
    settledBy[head] = settles;
    head++
}

proctype Publisher() {
end:
    do
    :: atomic { changes < CHANGES ->    /* the book first: a death before the record is known    */
        changes++; wanted = !wanted; bookList = wanted; bookSettled = 0; movingAt = 0 }
    :: atomic { !bookSettled && movingAt == 0 -> append(wanted, 0); movingAt = head }
    :: atomic { movingAt != 0 && HAS_OBEYED(0) && HAS_OBEYED(1) ->
        append(wanted, 1); movingAt = 0; bookSettled = 1 }
    :: atomic { starts < PUBLISHER_STARTS ->
        starts++; movingAt = 0;
        mayHold[0] = 1; mayHold[1] = 1; claimed[0] = 0; claimed[1] = 0 }
    :: atomic { offer[0] == 0 -> mayHold[0] = 1; offer[0] = head + 1 }
    :: atomic { offer[1] == 0 -> mayHold[1] = 1; offer[1] = head + 1 }
    :: atomic { mayHold[0] && !lease[0] && offer[0] == 0 -> mayHold[0] = 0 }
    :: atomic { mayHold[1] && !lease[1] && offer[1] == 0 -> mayHold[1] = 0 }
    od
}

proctype Node(byte n) {
end:
    do
    :: atomic { applied[n] < head ->
#ifndef WITHOUT_MOVED_KEYS
        if
        :: listOf[applied[n]] != list[n] -> version[n] = 0
        :: else
        fi;
#endif
        list[n] = listOf[applied[n]];
        isSettled[n] = settledBy[applied[n]];
        applied[n]++ }
    :: atomic { offer[n] != 0 && applied[n] + 1 >= offer[n] -> lease[n] = 1; offer[n] = 0 }
    :: offer[n] = 0                     /* lost                                                  */
    :: lease[n] = 0
    :: claimed[n] = applied[n]
    :: atomic { ANSWERS(n) && stored < STORES ->
        stored++; version[n] = stored;
        if
        :: lease[n] -> acknowledged = stored
        :: else                         /* it may have been taken out without knowing it         */
        fi }
    od
}

proctype Judge() {
end:
    do
    :: UNDOES(0) || UNDOES(1) -> assert(!UNDOES(0) && !UNDOES(1))
    od
}

init {
    atomic {
        isSettled[0] = 1; isSettled[1] = 1;
        run Publisher(); run Node(0); run Node(1); run Judge()
    }
}
