/* What is remembered, by whom. Everything is in as few bits as it needs: states are kept by the
 * million. */

/* The publisher.
 *
 * Sets of runs are bits; in `owed` the two highest stand for the runs of a node that was not heard
 * of since the publisher's start. */

byte head;                              /* a mark                                                */
byte tail;                              /* the oldest sequence number that is kept               */
byte appending;                         /* a record that the disk is still writing; 0: none      */
bit hasHistory;
bit hasAppended;                        /* since its start                                       */
bit hasLost;                            /* records that it had told: known to the judge only     */
byte told;                              /* the furthest mark told while it had no history        */
byte starts;                            /* how often it has started anew                         */

byte known;                             /* runs that have introduced themselves                  */
byte granted;                           /* runs with a grant                                     */
byte unheard;                           /* nodes not heard of since the start                    */
bit inherited;                          /* grants of an earlier publisher may still stand        */

#define RUN(r)      (1 << (r))
#define NODE_OF(r)  ((r) == 1)          /* run 2 is the second one of node 0                     */
#define HAS_MEMORY(r) (LOADERS && (r) != 1)
#define UNHEARD(n)  (8 << (n))
#define NEVER_HEARD ((1 << NODES) - 1)

/* The writer and the receipt it waits for. */

#define IDLE      0
#define COMMITTED 1                     /* at the origin; to be appended                         */
#define WRITING   2                     /* the disk writes the record                            */
#define WAITING   3                     /* for a receipt of all                                  */
#define ASKING    4                     /* again, of a publisher that has started anew           */

byte stage;
byte awaited;                           /* the mark waited for                                   */
byte owed;                              /* who has to obey it, or to lose its grant              */
byte acknowledged;                      /* the version of the last complete receipt of all       */

/* A run of a node: its control thread, its one shard, and the messages on their way to it. */

typedef Run {
    unsigned isUp : 1;
    /* Control: the place it follows, in which log, and whether the shard has to forget on its way
     * there. What the shard has obeyed lies at most one step behind: a mailbox of one letter. */
    unsigned handed : 3;
    unsigned log : 2;
    unsigned forgets : 1;
    /* The lease, as the shard sees it: until the last moment at which it may be held. And whether
     * it, or the PONG under way, is an earlier publisher's. */
    unsigned lease : 1;
    unsigned isOldLease : 1;
    /* The mark that came over the control channel, 0 if none did: the head of a PONG that grants,
     * or else of the WELCOME or TRUNCATED by which the run goes on. And the record that came over
     * the live channel. */
    unsigned word : 3;
    unsigned isPong : 1;
    unsigned live : 3;
    /* The shard. Sequence numbers stand for stamps: forgetting moves all below the new ones. */
    unsigned obeyed : 3;
    unsigned has : 1;
    unsigned version : 2;
    unsigned fill : 2;
    unsigned keyFloor : 2;
    unsigned tagFloor : 2;
    unsigned tokenBase : 2;
    unsigned loader : 2;                /* who holds the load lease, from 1; 0: nobody           */
#if defined WITHOUT_LEASE_END || defined WITHOUT_ONE_DECISION
    unsigned stillClaims : 1
#endif
};

Run runs[3];

/* A client that loads the value: the token it holds and what it has read. */

#define TOKEN 1
#define READ  2

typedef Load {
    unsigned stage : 2;
    unsigned from : 2;                  /* the run that gave the token                           */
    unsigned token : 3;                 /* the mark that run had obeyed; 0: older than its base  */
    unsigned value : 2
};

Load loads[2];

/* Scratch within one step, 0 between steps. */
byte i;
byte x;
byte isOurs;
