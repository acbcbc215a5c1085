/* What is promised. Each holds in every state; the judge moves only where one is broken. */

/* Whether the entry may be seen: the floors that rose since are asked. */
#ifdef WITHOUT_FLOOR_CHECK
#define IS_VISIBLE(r) (runs[r].has)
#else
#define IS_VISIBLE(r) (runs[r].has && runs[r].fill >= runs[r].tagFloor)
#endif

#if defined WITHOUT_LEASE_END || defined WITHOUT_ONE_DECISION
#define MAY_CALL_FRESH(r) (runs[r].lease || runs[r].stillClaims)
#else
#define MAY_CALL_FRESH(r) (runs[r].lease)
#endif

/* Promise 1. After a receipt of all nobody calls fresh what is older than the invalidation.
 *
 * Where no memory is modelled, the shard holds the oldest value that promise 3 lets it show. */
#define ANSWERS_STALE(r) \
    (MAY_CALL_FRESH(r) && ((HAS_MEMORY(r) && IS_VISIBLE(r) && runs[r].version < acknowledged) \
        || (!HAS_MEMORY(r) && marks[runs[r].obeyed].version < acknowledged)))

/* Promises 3 and 7. Nothing is shown, lease or not, that a record covers which the shard has
 * obeyed, or has stepped over by forgetting. */
#define SHOWS_COVERED(r) (IS_VISIBLE(r) && runs[r].version < marks[runs[r].obeyed].version)

/* Whoever asks now, and is told to wait for the load under way, comes after no invalidation of the
 * key that the shard has obeyed since that load began. */
#define LOAD_OF(r) loads[runs[r].loader - 1]
#define JOINS_OLD_LOAD(r) \
    (runs[r].loader != 0 && LOAD_OF(r).stage != 0 && LOAD_OF(r).token != 0 \
        && LOAD_OF(r).from == r \
        && marks[LOAD_OF(r).token].keyVersion < marks[runs[r].obeyed].keyVersion)

#if NODE_STARTS
#define NOBODY(broken) (!broken(0) && !broken(1) && !broken(2))
#else
#define NOBODY(broken) (!broken(0) && !broken(1))
#endif

proctype Judge() {
end:
    do
    :: !NOBODY(ANSWERS_STALE) -> assert(NOBODY(ANSWERS_STALE))
    :: !NOBODY(SHOWS_COVERED) -> assert(NOBODY(SHOWS_COVERED))
    :: !NOBODY(JOINS_OLD_LOAD) -> assert(NOBODY(JOINS_OLD_LOAD))
    od
}
