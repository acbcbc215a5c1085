# Runs the steps of deploy/test: in the foreground or in lanes beside each other. Keeps what each
# step prints, counts tests, compares times with budgets, and sums up. Sourced, not run.
#
# The caller sets `logs` to a directory. Each finished step adds a line to its results.tsv:
# name, outcome, passed, failed, seconds, budget, log.

# Lines of failing tests shown at the end: a log that is cut in its middle still has them.
evidence_max=20
# Ends what still runs after `seconds_max` seconds, if that is set: a process that waits for ever
# must not take the evidence with it.
seconds_max=
timer=
in_lane=no
lanes=()

start_results() {
    mkdir -p "$logs"
    rm -rf "$logs"/*.log "$logs/cache" "$logs/out-of-time"
    : >"$logs/results.tsv"
    [ -z "$seconds_max" ] || start_timer
}

# Steps that still run at the time limit are failures that name what hung, and no more begin.
start_timer() {
    set -m
    (
        trap - EXIT
        set +m
        sleep "$seconds_max"
        : >"$logs/out-of-time"
        while true; do
            end_steps "$$"
            sleep 10
        done
    ) </dev/null >/dev/null 2>&1 &
    timer=$!
    set +m
}

# PROCESS: ends what the script and its lanes wait for, but not these, which then record the steps.
end_steps() {
    local child
    for child in $(children_of "$1"); do
        if [ "$child" = "${BASHPID:-}" ]; then
            continue
        elif [ "$(cat "/proc/$child/comm" 2>/dev/null)" = "$(cat "/proc/$$/comm")" ]; then
            end_steps "$child"
        else
            kill "$child" 2>/dev/null || true
            end_descendants "$child"
        fi
    done
}

log_of() { printf '%s/%s.log' "$logs" "$(printf %s "${1,,}" | tr -cs 'a-z0-9\n' -)"; }

# NAME BUDGET COMMAND…: runs a command that has no tests to count. Fails as the command does.
step() {
    local name=$1 budget=$2 status=0 began=$SECONDS
    shift 2
    show "$name" "$@" || status=$?
    if [ "$status" -eq 0 ]; then
        record "$name" done 0 0 $((SECONDS - began)) "$budget"
    else
        record "$name" "FAILED ($status)" 0 1 $((SECONDS - began)) "$budget"
    fi
    return "$status"
}

# NAME BUDGET COMMAND…: runs a command whose last line is `N passed, N failed`.
counted() {
    local name=$1 budget=$2 status=0 began=$SECONDS line
    shift 2
    show "$name" "$@" || status=$?
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$(log_of "$name")" | tail -n 1 || true)
    if [ -z "$line" ] || { [ "$status" -ne 0 ] && [[ $line == *", 0 failed"* ]]; }; then
        note "$name: ended with $status and without a count of its failures"
        record "$name" "FAILED ($status)" 0 1 $((SECONDS - began)) "$budget"
        return 1
    fi
    local passed=${line%% passed*} failed=${line#*, }
    record_counts "$name" "$passed" "${failed%% failed*}" $((SECONDS - began)) "$budget"
}

# NAME BUDGET COMMAND…: runs Swift tests. Counts what Swift Testing prints, `Test run with 51 tests
# in 8 suites failed after …` and a line for each failed test, and what a sanitizer warns of.
swift_tests() {
    local name=$1 budget=$2 status=0 began=$SECONDS log total failed races
    shift 2
    show "$name" "$@" || status=$?
    log=$(log_of "$name")
    total=$(sed -nE 's/.*Test run with ([0-9]+) tests? .*(passed|failed) after.*/\1/p' "$log" |
        tail -n 1)
    failed=$(grep -E '(^|[^a-zA-Z ]) *Test .* failed after' "$log" |
        grep -cv 'Test run with' || true)
    # A race fails no test. The run that saw one exits with 66, unless its options say otherwise.
    races=$(grep -c 'WARNING: ThreadSanitizer' "$log" || true)
    if [ -z "$total" ]; then
        note "$name: the run did not come to its end"
        unended_tests "$log" | tee -a "$log"
        total=0
        failed=1
    elif [ "$total" -eq 0 ]; then
        note "$name: no test was run"
        failed=1
    elif [ "$races" -gt 0 ]; then
        note "$name: $races warnings of the thread sanitizer"
        failed=$((failed + 1))
    elif [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then
        # A run can fail outside any test; then the run itself is the failure.
        failed=1
    fi
    local passed=$((total > failed ? total - failed : 0))
    record_counts "$name" "$passed" "$failed" $((SECONDS - began)) "$budget"
}

# LOG: the tests that began and did not end, in the form in which failures are shown.
unended_tests() {
    awk '
        / Test [^ ].* started\.$/ && !/ Test run / && !/ Test case / {
            sub(/^.* Test /, ""); sub(/ started\.$/, ""); open[$0] = 1
        }
        / Test [^ ].* (passed|failed|skipped) after / {
            sub(/^.* Test /, ""); sub(/ (passed|failed|skipped) after .*/, "")
            sub(/ with [0-9]+ test cases?$/, ""); delete open[$0]
        }
        END { for (name in open) print "FAILED " name ": began and did not end" }' "$1"
}

# NAME REASON: a step that is left out, with its reason.
skipped() {
    say "$1: left out, $2"
    printf '%s\tleft out: %s\t0\t0\t0\t0\t-\n' "$1" "$2" >>"$logs/results.tsv"
}

# Shows and keeps the output of a command. In a lane it is only kept.
show() {
    local name=$1 status=0 log
    shift
    log=$(log_of "$name")
    if [ -e "$logs/out-of-time" ]; then
        echo "FAILED $name: not begun, the time limit of $seconds_max s has passed" | tee "$log"
        return 1
    elif [ "$in_lane" = yes ]; then
        "$@" >"$log" 2>&1 </dev/null || status=$?
    else
        say "$name: $*"
        "$@" 2>&1 </dev/null | tee "$log" || status=$?
    fi
    if [ "$status" -ne 0 ] && [ -e "$logs/out-of-time" ]; then
        echo "FAILED $name: ended by the time limit of $seconds_max s" >>"$log"
    fi
    return "$status"
}

# NAME PASSED FAILED SECONDS BUDGET: the outcome of a step that counts.
record_counts() {
    local outcome=done
    [ "$3" -eq 0 ] || outcome="FAILED ($3 of $(($2 + $3)))"
    record "$1" "$outcome" "$2" "$3" "$4" "$5"
    [ "$3" -eq 0 ]
}

record() {
    local late=
    [ "$6" -eq 0 ] || [ "$5" -le "$6" ] || late=" (budget: $6 s)"
    note "$1: $2, $3 passed, $5 s$late"
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$@" "$(log_of "$1")" >>"$logs/results.tsv"
}

# FUNCTION: runs a function that has steps in it beside what follows, until `join_lanes`.
lane() {
    # In a process group of its own, so that all of it can be ended.
    set -m
    (
        trap - EXIT
        set +m
        in_lane=yes
        "$1"
    ) </dev/null &
    lanes+=($!)
    set +m
}

# Waits for all lanes.
join_lanes() { join_lanes_but none; }

# PID: waits for all lanes but one.
join_lanes_but() {
    local pid
    for pid in ${lanes[@]+"${lanes[@]}"}; do [ "$pid" = "$1" ] || join_lane "$pid"; done
}

# PID: waits for one lane. A lane that breaks outside of its steps is a failure.
join_lane() {
    local left=() pid
    wait "$1" || record "lane $1" "FAILED ($?)" 0 1 0 0
    for pid in "${lanes[@]}"; do [ "$pid" = "$1" ] || left+=("$pid"); done
    lanes=(${left[@]+"${left[@]}"})
}

# Prints all steps with their times, what failed with its evidence, and the count as last line.
# Fails if anything did. STATUS is that of the script so far.
summary() {
    local status=$1 pid passed failed
    for pid in ${timer:+"$timer"} ${lanes[@]+"${lanes[@]}"}; do
        kill -- "-$pid" 2>/dev/null || true
    done
    end_descendants "$$"
    if [ "$status" -ne 0 ] && ! awk -F '\t' '$4 > 0 { bad = 1 } END { exit !bad }' \
        "$logs/results.tsv"; then
        record "deploy/test" "FAILED ($status)" 0 1 0 0
    fi
    say "Steps, in the order in which they ended (budgets are for two idle cores)"
    awk -F '\t' '{
        over = ($6 > 0 && $5 > $6) ? "  OVER BUDGET" : ""
        printf "    %-26s %6d s  of %5s  %6d passed  %s%s\n", $1, $5, $6 ? $6 : "-", $3, $2, over
    }' "$logs/results.tsv"
    say "Total: $SECONDS s${budget_total:+, of $budget_total}"
    if [ -n "${budget_total:-}" ] && [ "$SECONDS" -gt "$budget_total" ]; then
        note "WARNING: over the budget of $budget_total s: see docs/testing.md, \"Time\""
    fi
    awk -F '\t' '$4 > 0 { print "    " $1 ": " $2 ", see " $7 }' "$logs/results.tsv"
    evidence
    passed=$(awk -F '\t' '{ n += $3 } END { print n + 0 }' "$logs/results.tsv")
    failed=$(awk -F '\t' '{ n += $4 } END { print n + 0 }' "$logs/results.tsv")
    printf '%d passed, %d failed\n' "$passed" "$failed"
    [ "$failed" -eq 0 ]
}

# PROCESS: ends what a step still runs when the script is ended by a signal, such as a build.
end_descendants() {
    local pid
    for pid in $(children_of "$1"); do
        end_descendants "$pid"
        kill "$pid" 2>/dev/null || true
    done
}

# PROCESS: the ids of its child processes.
children_of() {
    awk -v parent="$1" '{ sub(/^.*\) /, "", $0); if ($2 == parent) print FILENAME }' \
        /proc/[0-9]*/stat 2>/dev/null | tr -cd '0-9\n'
}

# What failed said, at most `evidence_max` lines for each step with the remarks under them: tests,
# races, compiler errors, and checks in Python with the end of what they raised.
evidence() {
    local log
    while IFS= read -r log; do
        [ -s "$log" ] || continue
        printf '\n    %s:\n' "$log"
        awk -v max="$evidence_max" '
            /recorded an issue|SUMMARY: ThreadSanitizer|error: / {
                isRemarked = 1
                if (seen[$0]++) next
                if (++count > max) exit
                print
                next
            }
            /^ *(not ok|FAIL|FAILED) / {
                if (++count > max) exit
                for (i = (told > 3 ? told - 2 : 1); i <= told; i++) print before[i]
                print
                told = 0
                next
            }
            /^ *(ok|passed) / { told = 0 }
            !/^ *(ok|passed) / { before[++told] = $0 }
            isRemarked && /^ *↳/ { print; next }
            { isRemarked = 0 }' "$log" || true
    done < <(awk -F '\t' '$4 > 0 { print $7 }' "$logs/results.tsv" | sort -u)
    printf '\n'
}
