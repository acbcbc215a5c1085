# Keeps builds, and what was proven with them, between runs of deploy/test. Sourced, not run.
#
# The kept directory has a copy of the checkout at a fixed path with its builds in it. The copy is
# updated by content, and files that did not change keep their times: so the package manager builds
# only what changed. The directory's name is a digest of all that a build depends on beside the
# sources. See docs/decisions/0079.

# Days after which the kept directory of another toolchain or other flags is removed.
kept_days_max=14

# Sets `tree` to the directory to build and test in, and `kept` to the kept directory, or to nothing
# where nothing is kept. Takes the checkout, and `yes` if everything is to be built from nothing.
choose_tree() {
    local root=$1 is_fresh=$2 base name
    tree=$root kept=
    if [ "$is_fresh" = yes ]; then
        note "everything is built from nothing, in the checkout"
        rm -rf "$root"/.build-checked "$root"/.build-release "$root"/.build-simulate
        return
    fi
    base=${MARTLET_BUILDS:-${XDG_CACHE_HOME:-$HOME/.cache}/martlet/builds}
    name=$(build_environment | sha256sum | cut -c 1-16)
    mkdir -p "$base/$name"
    if ! take_kept "$base/$name"; then
        note "another run uses the kept builds in $base/$name: this one builds in the checkout"
        return
    fi
    kept=$base/$name
    tree=$kept/tree
    touch "$kept"
    find "$base" -mindepth 1 -maxdepth 1 -type d -mtime "+$kept_days_max" -exec rm -rf {} +
    if [ -d "$tree" ]; then note "continuing with the builds kept in $kept"; else
        note "nothing is kept yet: builds from nothing in $kept"
    fi
    update_tree "$root"
}

# Makes this process the only user of a kept directory, by its id in a file. Fails if the process
# named there still runs a script of this name. No lock is held open meanwhile: processes that
# outlive a run that was killed would inherit it.
take_kept() {
    (
        flock 9
        local user
        user=$(cat "$1/user" 2>/dev/null || true)
        if [ -n "$user" ] && [ "$user" != "$$" ] &&
            tr '\0' ' ' 2>/dev/null <"/proc/$user/cmdline" | grep -q 'deploy/test'; then
            exit 1
        fi
        printf '%s\n' "$$" >"$1/user"
    ) 9>"$1/lock"
}

# What a build depends on beside the sources: toolchain, system, flags, and the headers of C.
build_environment() {
    swift --version 2>/dev/null
    uname -srm
    printf '%s\n' "${checked_flags[@]}" "${release_flags[@]}"
    ! have dpkg-query || dpkg-query -W -f '${Package} ${Version}\n' \
        libzmq3-dev libssl-dev libyaml-dev libc6-dev libstdc++-12-dev zlib1g-dev 2>/dev/null ||
        true
}

# Copies what git knows of the checkout, and what it does not ignore, to the kept tree. Without
# --times: a changed file gets the time of its copy, all others keep theirs.
update_tree() {
    local stage=$kept/stage
    rm -rf "$stage"
    mkdir -p "$stage" "$tree"
    (
        cd "$1"
        # A file that is deleted but not yet committed is listed, too.
        git ls-files -z --cached --others --exclude-standard |
            while IFS= read -r -d '' file; do
                if [ -e "$file" ] || [ -L "$file" ]; then printf '%s\0' "$file"; fi
            done | xargs -0 cp --parents --no-dereference --preserve=mode -t "$stage"
    )
    rsync --recursive --links --perms --checksum --delete --exclude '/.build*' "$stage/" "$tree/"
    rm -rf "$stage"
}

# SUITE: a digest of what the suite depends on: the files that deploy/covers names for it and for
# all, the suite's own, and what the programs under test are built with. Fails if one is missing.
digest_of() {
    local listed common paths=()
    common=$(sed -n 's/^common: //p' "$tree/deploy/covers")
    listed=$(sed -n "s/^$1: *//p" "$tree/deploy/covers")
    read -r -a paths <<<"${listed/#common/$common}"
    (
        cd "$tree"
        build_environment
        find deploy/test deploy/*.sh deploy/covers Package.swift "Tests/$1" \
            ${paths[@]+"${paths[@]}"} -type f ! -path '*/__pycache__/*' -print0 |
            sort -z | xargs -0 sha256sum
    ) | sha256sum | cut -d ' ' -f 1
}

# SUITE: whether the suite passed before with exactly what it depends on now. Where nothing is kept,
# where it has no list, and where its digest cannot be made, it did not.
is_proven() {
    local digest
    [ -n "$kept" ] && grep -q "^$1:" "$tree/deploy/covers" && digest=$(digest_of "$1") &&
        [ -e "$kept/proven/$1-$digest" ]
}

# SUITE: remembers that it passed.
remember_proven() {
    local digest
    [ -n "$kept" ] && digest=$(digest_of "$1") || return 0
    mkdir -p "$kept/proven"
    rm -f "$kept/proven/$1-"*
    touch "$kept/proven/$1-$digest"
}
