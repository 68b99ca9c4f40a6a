#!/bin/sh
# run_widths.sh CUCPU SOURCE OUT [option...]: the program is right at every width of the SIMD
# groups (the automatic one is mostly 16 with AVX-512), and without the optional passes.  Four lanes or those passes: every other program,
# by the sum of its name, as the whole test run has a limit; cucpu-fuzz tries all.  Prints the first variant that fails, and its output.
cucpu=$1 source=$2 out=$3
shift 3
fourth=--simd=4
name=$(basename "$source" | cksum)
[ $((${name%% *} % 2)) = 0 ] || fourth=--disable=guard_coherent,copy_unmasked,merge_sides
for variant in --simd=1 "$fourth" --simd=32 ""; do
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
