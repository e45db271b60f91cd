# Scripts/prologue.sh: what every shell script here begins with:
#
#     source "$(dirname "${BASH_SOURCE[0]}")/prologue.sh"
#
# From there on an error ends the script. `--help`, as any argument, prints the comment at the top of the script, and the script does nothing
# else. The script may use:
#
#   $root            the package's folder
#   $cannot_check    the exit status of a check that cannot run, because something is not installed
#   usage            prints the comment at the top
#   fail WORDS       prints what went wrong, and ends the script with status 1
#   misuse WORDS     prints what is wrong with the arguments, then the comment at the top, and ends the script with status 2
#   swift_libraries  prints the folder of the Swift toolchain's libraries: libdispatch, libBlocksRuntime
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck disable=SC2034 # the scripts use it
cannot_check=77

usage() { awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; }

fail() {
    echo "${0##*/}: $*" >&2
    exit 1
}

misuse() {
    printf '%s: %s\n\n%s\n' "${0##*/}" "$*" "$(usage)" >&2
    exit 2
}

# The toolchain's clang, where only its swift is in the search path, as with Debian's package.
if ! command -v clang >/dev/null && command -v swift >/dev/null; then PATH=$PATH:$(dirname "$(readlink -f "$(command -v swift)")"); fi

swift_libraries() {
    local swift
    swift=$(readlink -f "$(command -v swift)") || fail "there is no swift in PATH"
    (cd "$(dirname "$swift")/../lib/swift/linux" && pwd)
}

if [[ " $* " == *" --help "* || " $* " == *" -h "* ]]; then
    usage
    ! declare -F more_help >/dev/null || more_help # defined by a script whose help has a part that it computes
    exit
fi
