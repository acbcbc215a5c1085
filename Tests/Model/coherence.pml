/* A publisher, two nodes and their clients, small enough to look at every state they can be in.
 *
 *   pan checks that whatever order things happen in, and whatever is lost, delayed, cut or
 *   started anew within the bounds below, the promises in checks.pml hold.
 *
 * Read in this order:
 *
 *   history.pml     marks: every place that any log ever had
 *   state.pml       what the publisher, a run of a node and a client remember
 *   publisher.pml   appends, hears its runs, grants, waits; starts anew
 *   node.pml        follows the log, holds a lease
 *   shard.pml       obeys, keeps an entry and floors, hands out tokens, stores
 *   faults.pml      time running out, losses, deaths
 *   checks.pml      what is promised
 *
 * There is one key, its values carry one tag. Version v of the value is what the origin holds from
 * its v-th commit on. An invalidation names the key, the tag, or something else.
 *
 * Time is left out: a lease may end at any moment, and a grant at any moment after the lease that
 * it stands for. So every speed of every clock is looked at, as long as the publisher counts
 * longer than its nodes.
 *
 * A message is a slot that may be overwritten, or never be read: lost. It may be read late.
 *
 * Each rule is left out by a flag, WITHOUT_ and the name that the simulation has for it in
 * Sources/Model/CacheModel/ProtocolGuard.swift. docs/model.md says what is not here at all.
 */

/* Bounds. Tests/Model/check sets them. */
#ifndef RECORDS
#define RECORDS 2                       /* records appended, in all epochs, up to 3              */
#endif
#ifndef EPOCHS
#define EPOCHS 2                        /* beginnings of an epoch, the first included            */
#endif
#ifndef PUBLISHER_STARTS
#define PUBLISHER_STARTS 1              /* times that the publisher starts anew                  */
#endif
#ifndef NODE_STARTS
#define NODE_STARTS 1                   /* times that the first node starts anew, 0 or 1         */
#endif
#ifndef NODES
#define NODES 2
#endif
#ifndef RETENTION
#define RETENTION 1                     /* whether old records leave the log                     */
#endif
#ifndef LOADERS
#define LOADERS 1                       /* clients that load, up to 2                            */
#endif

#include "history.pml"
#include "state.pml"
#include "checks.pml"
#include "shard.pml"
#include "publisher.pml"
#include "node.pml"
#include "faults.pml"

inline standAtBeginning(r) {
    begin(r);
    runs[r].obeyed = top;
    runs[r].handed = top;
    runs[r].log = 1;
    known = known | RUN(r)
}

/* Everybody is up, registered and at the beginning of the log; nobody has a lease yet. */
init {
    d_step {
        newBeginning(1, 1);
        head = top;
        tail = 1;
        hasHistory = true;
        standAtBeginning(0);
#if NODES > 1
        standAtBeginning(1)
#endif
    };
    atomic {
        run Publisher();
        run Writer();
        run Node(0);
#if NODES > 1
        run Node(1);
#endif
#if NODE_STARTS
        run Node(2);
#endif
#if LOADERS > 0
        run Loader(0);
#endif
#if LOADERS > 1
        run Loader(1);
#endif
#if PUBLISHER_STARTS || NODE_STARTS
        run Faults();
#endif
        run Judge()
    }
}
