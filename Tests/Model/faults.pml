/* What goes wrong. */

/* The publisher dies and starts anew; how long it takes does not matter here. Grants, waits and
 * introductions are forgotten. */
inline startAnew() {
    starts++;
    for (i : 0 .. 2) {
        if
        :: runs[i].lease || runs[i].isPong -> runs[i].isOldLease = 1
        :: else
        fi
    };
    i = 0;
    known = 0;
    granted = 0;
    owed = 0;
    unheard = NEVER_HEARD;
    inherited = 1;
    hasAppended = 0;
    if
    :: stage == WAITING -> stage = ASKING
    :: else
    fi
}

/* A log that has lost its last record goes on before it. Unless a node that had obeyed it comes
 * forward, nobody knows (decision 19, which says so). */
inline cutTail() {
    hasLost = 1;
    abandonAppend();
    head = marks[head].parent;
    if
    :: tail > marks[head].sequence + 1 -> tail = marks[head].sequence + 1
    :: else
    fi;
    excuseLoss(head)
}

inline die(r) {
    runs[r].isUp = 0;
    runs[r].handed = 0;
    runs[r].log = 0;
    runs[r].forgets = 0;
    endLease(r);
    runs[r].word = 0;
    runs[r].live = 0;
    runs[r].obeyed = 0;
    drop(r);
    runs[r].keyFloor = 0;
    runs[r].tagFloor = 0;
    runs[r].tokenBase = 0;
    runs[r].loader = 0;
#if defined WITHOUT_LEASE_END || defined WITHOUT_ONE_DECISION
    runs[r].stillClaims = 0
#endif
}

inline begin(r) {
    runs[r].isUp = 1
}

#if PUBLISHER_STARTS || NODE_STARTS
proctype Faults() {
end:
    do
#if PUBLISHER_STARTS
#ifdef MEMORY_LOG
    /* Its records are gone. */
    :: d_step { starts < PUBLISHER_STARTS ->
            startAnew();
            if
            :: stage == ASKING -> askAnew()
            :: else
            fi;
            hasLost = 1;
            hasHistory = 0;
            head = 0;
            tail = 0;
            told = 0 }
#else
    /* The log is whole; what was being written is lost, or was written. */
    :: d_step { starts < PUBLISHER_STARTS -> startAnew(); abandonAppend() }
    :: d_step { starts < PUBLISHER_STARTS && appending != 0 ->
            startAnew(); head = appending; abandonAppend() }
    /* It has lost its last record, and cannot tell. */
    :: d_step { starts < PUBLISHER_STARTS && marks[head].sequence > 0 -> startAnew(); cutTail() }
    /* It has lost records and can tell: an epoch under another name. */
    :: d_step { starts < PUBLISHER_STARTS && epochCount < EPOCHS ->
            startAnew(); openEpoch(head, starts + 1) }
#endif
#endif

#if NODE_STARTS
    /* The first node dies and starts anew; or its process only sleeps, and there are two. */
    :: d_step { runs[0].isUp -> die(0) }
    :: d_step { !runs[2].isUp -> begin(2) }
#endif
    od
}
#endif
