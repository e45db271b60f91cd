#!/bin/bash
# compare.sh: runs the conformance programs against the toolchain's CoreFoundation and against ours, and compares what they print.
#
#   compare.sh                    all programs
#   compare.sh NAME...            these
#   compare.sh random FROM TO     random.c with the seeds FROM to TO
#
# CFLAGS is added to every compilation (see the switches at the top of random.c). KEEP=1 keeps the directory with programs and logs.
# A pair of logs that differ is made again, up to three times: on a busy machine a limit may pass while a callback still runs.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
library=$here/../../Sources/CRunLoop
swift=$(readlink -f "$(command -v swift)") || { echo "compare.sh: no swift in PATH" >&2; exit 2; }
usr=$(cd "$(dirname "$swift")/.." && pwd)
clang=$usr/bin/clang
work=$(mktemp -d)
[ -n "${KEEP:-}" ] && echo "in $work" || trap 'rm -rf "$work"' EXIT
export SWIFT_BACKTRACE=enable=no

common=(-w -g -fblocks -std=gnu17 -D_GNU_SOURCE -I"$here" ${CFLAGS:-})
libraries=(-L"$usr/lib/swift/linux" -lBlocksRuntime -ldispatch -lpthread -lm -Wl,-rpath,"$usr/lib/swift/linux")

# Our library, as an archive.
build_library() {
    local source object objects=()
    while read -r source; do
        object=$work/$(basename "$source" .c).o
        objects+=("$object")
        "$clang" "${common[@]}" -DCF_CHECK_LOCKS -I"$library/include" -I"$library" -I"$library/Base" -c "$source" -o "$object" || return
    done < <(find "$library" -name '*.c')
    ar rcs "$work/libours.a" "${objects[@]}"
}

# build NAME: NAME.theirs and NAME.ours
build() {
    "$clang" "${common[@]}" -I"$usr/lib/swift" "$here/$1.c" -o "$work/$1.theirs" -lFoundation "${libraries[@]}" &&
    "$clang" "${common[@]}" -I"$library/include" -I"$library" "$here/$1.c" -o "$work/$1.ours" "$work/libours.a" "${libraries[@]}"
}

# log SIDE NAME ARGUMENTS...: runs a program; its exit status is the log's last line.
log() {
    local program=$work/$2.$1 log=$work/$2.$1.log
    shift 2
    timeout 60 "$program" "$@" >"$log" 2>"$log.errors"
    echo "exit status $?" >>"$log"
}

# compare NAME ARGUMENTS...: whether both sides print the same.
compare() {
    local attempt
    for attempt in 1 2 3; do
        log theirs "$@" & log ours "$@"
        wait $!
        cmp -s "$work/$1.theirs.log" "$work/$1.ours.log" && return 0
    done
    return 1
}

passed=0 failed=0

# check TITLE NAME ARGUMENTS...: compares, prints a line, and the difference if there is one.
check() {
    local title=$1
    shift
    if compare "$@"; then
        echo "same       $title"
        passed=$((passed + 1))
    else
        echo "DIFFERENT  $title   (- theirs, + ours)"
        diff -U 8 "$work/$1.theirs.log" "$work/$1.ours.log" | tail -n +3 | head -n "${LINES_SHOWN:-40}"
        head -n 5 "$work/$1.ours.log.errors"
        failed=$((failed + 1))
    fi
}

build_library || { echo "compare.sh: the library does not compile" >&2; exit 2; }
if [ "${1:-}" = random ]; then
    build random || exit 2
    for ((seed = $2; seed <= $3; seed++)); do check "random $seed" random "$seed"; done
else
    [ $# -gt 0 ] && names=("$@") || names=($(cd "$here" && ls *.c | sed 's/\.c$//' | grep -vx random))
    for name in "${names[@]}"; do
        if build "$name" 2>"$work/errors"; then
            check "$name" "$name"
        else
            echo "DIFFERENT  $name: does not build"
            head -n 3 "$work/errors"
            failed=$((failed + 1))
        fi
    done
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
