; --report=vector writes JSON, whatever the kernel is called.
; RUN: %cucpu-opt --passes=linearise,widen --simd=8 --report=vector %s -o %t.ll 2> %t.json
; RUN: %python -c "import json, sys; [print(ascii(json.loads(line)['kernel'])) for line in open(sys.argv[1], encoding='utf-8')]" %t.json | FileCheck %s
; CHECK: 'plain'
; CHECK: 'a"b\\c\n\x01'
; CHECK: 'gr\xf6\xdfe'
; CHECK: 'no UTF-8: \ufffd'
define void @f0() #0 {
  ret void
}
define void @f1() #1 {
  ret void
}
define void @f2() #2 {
  ret void
}
define void @f3() #3 {
  ret void
}
attributes #0 = { "cucpu.kernel" "cucpu.width"="8" "cucpu.layout"="0" "cucpu.base"="plain" }
attributes #1 = { "cucpu.kernel" "cucpu.width"="8" "cucpu.layout"="0" "cucpu.base"="a\22b\5Cc\0A\01" }
attributes #2 = { "cucpu.kernel" "cucpu.width"="8" "cucpu.layout"="0" "cucpu.base"="gr\C3\B6\C3\9Fe" }
attributes #3 = { "cucpu.kernel" "cucpu.width"="8" "cucpu.layout"="0" "cucpu.base"="no UTF-8: \FF" }
