#!/bin/sh
# run_widths.sh CUCPU SOURCE OUT [option...]: the program is right with the automatic number of lanes (mostly 16 with AVX-512), and in
# one of four other ways, by the sum of its name, as the whole test run has a limit: with one lane (a seventh of the programs), four lanes,
# 32 lanes, without some optional passes (a fourteenth each), or in none.  CUCPU_TEST_WIDTHS=all: in all of them; cucpu-fuzz tries all anyway.  Prints the first
# variant that fails, and its output.
cucpu=$1 source=$2 out=$3
shift 3
passes=--disable=guard_coherent,version_all_active,meld_branches
name=$(basename "$source" | cksum)
case ${CUCPU_TEST_WIDTHS:-$((${name%% *} % 14))} in
    0) more=--simd=4 ;;
    1) more=--simd=32 ;;
    2) more=$passes ;;
    all) more="--simd=1 --simd=4 --simd=32 $passes" ;;
    3 | 4) more=--simd=1 ;;
    *) more= ;;
esac
for variant in $more ""; do
    if ! "$cucpu" $variant "$@" "$source" -o "$out" > "$out.log" 2>&1; then
        echo "$source does not compile with '$variant':"
        cat "$out.log"
        exit 1
    fi
    timeout 60 "$out" > "$out.log" 2>&1
    status=$?
    if [ $status -ne 0 ]; then
        echo "$source is wrong with '$variant' (status $status):"
        head -40 "$out.log"
        exit 1
    fi
done
