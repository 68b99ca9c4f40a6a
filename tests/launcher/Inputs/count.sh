# count.sh CUCPU OPTIONS...: compiles and runs coverage.cu, and prints the counts of device code as llvm-cov gcov reads them.
set -e
cucpu=$1
shift
rm -f coverage-coverage.* coverage.cu.gcov
$cucpu --coverage "$@" coverage.cu -o coverage
timeout 60 ./coverage > /dev/null
llvm-cov gcov coverage-coverage.device.gcda > /dev/null
grep -v '^ *-:' coverage.cu.gcov | sed 's/^ *//; s/:.*//; s/#####/0/' | tr '\n' ' '
echo
