/* Marks: every place that any log ever had, as a forest.
 *
 * A mark is a position and the digest there. Digests are chained, so each names everything before
 * it; two marks are equal exactly if their whole histories are. Here a mark is therefore a number,
 * its parent is the mark before it, and "the digest differs" means "it is another number". Two
 * marks of one position are what a lost tail leaves behind whose numbers are used again.
 *
 * Mark 0 is no mark. An epoch begins with a mark of sequence 0 that has no parent.
 */

#define MARKS (RECORDS + EPOCHS + 1)

#define KEY   1                         /* the record's scope                                    */
#define TAG   2
#define OTHER 3

typedef Mark {
    unsigned epoch : 2;
    unsigned sequence : 2;
    unsigned log : 2;                   /* the log's id                                          */
    unsigned parent : 3;
    unsigned scope : 2;
    /* What has to be read by now: the version of the newest invalidation up to here. */
    unsigned version : 2;
    /* The same, of those that named the key itself. */
    unsigned keyVersion : 2
};

Mark marks[MARKS];
byte ancestry[MARKS];                   /* a mark and all before it, as a set                    */
byte top = 0;                           /* the last mark that was made                           */
byte recordCount = 0;
byte epochCount = 0;

/* The origin: the version that a read finds now. */
byte origin = 0;

/* Positions as numbers, in their order. */
#define POSITION(m) (marks[m].epoch * 4 + marks[m].sequence)

/* Whether a log that stands at `last` has the mark `m`. */
#define IS_IN(m, last) ((ancestry[last] >> (m)) & 1)

inline newRecord(before, theScope) {
    top++;
    recordCount++;
    marks[top].epoch = marks[before].epoch;
    marks[top].sequence = marks[before].sequence + 1;
    marks[top].log = marks[before].log;
    marks[top].parent = before;
    marks[top].scope = theScope;
    marks[top].version = (theScope == OTHER -> marks[before].version : origin);
    marks[top].keyVersion = (theScope == KEY -> origin : marks[before].keyVersion);
    ancestry[top] = ancestry[before] | (1 << top)
}

/* Whoever takes up an epoch hides everything, so what is shown there was read after it began. */
inline newBeginning(theEpoch, theLog) {
    top++;
    epochCount++;
    marks[top].epoch = theEpoch;
    marks[top].log = theLog;
    marks[top].version = origin;
    marks[top].keyVersion = origin;
    ancestry[top] = 1 << top
}
