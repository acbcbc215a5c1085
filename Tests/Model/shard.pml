/* A shard: one entry, the floors above it, the load lease of its key. Clients that load. */

#ifdef WITHOUT_ONE_DECISION
#define IS_BUSY(r) runs[r].stillClaims  /* between its decision and its sending                  */
#else
#define IS_BUSY(r) 0
#endif

inline raise(floor, to) {
    if
    :: floor < to -> floor = to
    :: else
    fi
}

inline drop(r) {
    runs[r].has = 0;
    runs[r].version = 0;
    runs[r].fill = 0
}

/* A floor that the token base has reached says nothing any more. */
inline tidyFloors(r) {
#ifndef WITHOUT_TOKEN_BASE
    if
    :: runs[r].keyFloor <= runs[r].tokenBase -> runs[r].keyFloor = 0
    :: else
    fi
#endif
    skip
}

/* Obeys one record. A key's entry leaves at once; a tag raises one floor, and entries obey when
 * they are next met. */
inline obey(r) {
    if
    :: !HAS_MEMORY(r)
    :: HAS_MEMORY(r) && marks[runs[r].handed].scope == KEY && marks[runs[r].handed].sequence > 0 ->
        if
        :: runs[r].has && runs[r].fill < marks[runs[r].handed].sequence -> drop(r)
        :: else
        fi;
        runs[r].keyFloor = marks[runs[r].handed].sequence;
#ifndef WITHOUT_JOINERS
        runs[r].loader = 0
#endif
    :: HAS_MEMORY(r) && marks[runs[r].handed].scope == TAG && marks[runs[r].handed].sequence > 0 ->
        runs[r].tagFloor = marks[runs[r].handed].sequence
    :: else
    fi;
    runs[r].obeyed = runs[r].handed
}

/* Hides everything and goes on from another place. What came before has a lower stamp than
 * anything after: floors are passed, tokens are too old. Load leases stay. */
inline forget(r) {
#ifdef WITHOUT_QUARANTINE
    runs[r].fill = 0;
    runs[r].tokenBase = 0;
#else
    drop(r);
    if
    :: HAS_MEMORY(r) -> runs[r].tokenBase = marks[runs[r].handed].sequence
    :: else
    fi;
    for (i : 0 .. 1) {
        if
        :: loads[i].stage != 0 && loads[i].from == r -> loads[i].token = 0
        :: else
        fi
    };
    i = 0;
#endif
    runs[r].keyFloor = 0;
    runs[r].tagFloor = 0;
    runs[r].obeyed = runs[r].handed;
    runs[r].forgets = 0
}

/* Whether the shard of run `r` takes what load `l` has read.
 *
 * The token says what had been obeyed before the origin was asked; it is held against every floor,
 * at the moment of the store. */

#define SEQUENCE(m) marks[m].sequence

#ifdef WITHOUT_TOKEN_OF_ANOTHER_RUN
#define IS_OF_THIS_RUN(l, r) (NODE_OF(loads[l].from) == NODE_OF(r))
#else
#define IS_OF_THIS_RUN(l, r) (loads[l].from == r)
#endif

#ifdef WITHOUT_LOAD_LEASE
#define HOLDS_LOAD_LEASE(l, r) 1
#else
#define HOLDS_LOAD_LEASE(l, r) (runs[r].loader == l + 1 || loads[l].from != r)
#endif

#ifdef WITHOUT_TOKEN_BASE
#define IS_OF_BASE(l, r) 1
#else
#define IS_OF_BASE(l, r) (STAMP(l, r) >= runs[r].tokenBase)
#endif

#ifdef WITHOUT_FILL_POSITION
#define STAMP(l, r) SEQUENCE(runs[r].obeyed)
#else
#define STAMP(l, r) SEQUENCE(loads[l].token)
#endif

#ifdef WITHOUT_TOKEN_CHECK
#define PASSES_FLOORS(l, r) 1
#else
#define PASSES_FLOORS(l, r) \
    (IS_OF_BASE(l, r) && STAMP(l, r) >= runs[r].keyFloor && STAMP(l, r) >= runs[r].tagFloor)
#endif

#define IS_ADMITTED(l, r) \
    (runs[r].isUp && loads[l].token != 0 && IS_OF_THIS_RUN(l, r) \
        && marks[loads[l].token].epoch == marks[runs[r].obeyed].epoch \
        && HOLDS_LOAD_LEASE(l, r) && PASSES_FLOORS(l, r))

inline endLoad(l) {
    loads[l].stage = 0;
    loads[l].from = 0;
    loads[l].token = 0;
    loads[l].value = 0
}

inline store(l, r) {
    if
    :: IS_ADMITTED(l, r) ->
        /* One store follows another in the order in which the origin was read. */
        assert(!IS_VISIBLE(r) || runs[r].version <= loads[l].value);
        runs[r].has = 1;
        runs[r].version = loads[l].value;
        runs[r].fill = (STAMP(l, r) < SEQUENCE(runs[r].obeyed) -> STAMP(l, r)
            : SEQUENCE(runs[r].obeyed));
        runs[r].loader = 0
    :: else ->
        if
        :: runs[r].loader == l + 1 && loads[l].from == r -> runs[r].loader = 0
        :: else
        fi
    fi;
    endLoad(l)
}

/* A miss gives a token and the load lease to one client. Another one gets them only when that
 * lease has run out, which may be at any time. So may an entry leave: there may always be a miss.
 * Clients are alike: the first is asked first. */
#define MAY_LOAD(l, r) \
    (loads[l].stage == 0 && (l == 0 || loads[0].stage != 0) \
        && runs[r].isUp && runs[r].obeyed != 0 && !IS_BUSY(r))

inline beginLoad(l, r) {
    loads[l].stage = TOKEN;
    loads[l].from = r;
    loads[l].token = runs[r].obeyed;
    runs[r].loader = l + 1
}

proctype Loader(byte l) {
end:
    do
    :: d_step { MAY_LOAD(l, 0) -> beginLoad(l, 0) }
#if NODE_STARTS
    :: d_step { MAY_LOAD(l, 2) -> beginLoad(l, 2) }
#endif
    :: d_step { loads[l].stage == TOKEN -> loads[l].stage = READ; loads[l].value = origin }
    :: d_step { loads[l].stage == READ && !IS_BUSY(loads[l].from) ->
            x = loads[l].from; store(l, x); x = 0 }
#ifdef WITHOUT_TOKEN_OF_ANOTHER_RUN
    :: d_step { loads[l].stage == READ && loads[l].from == 0 && runs[2].isUp ->
            store(l, 2) }
#endif
    od
}
