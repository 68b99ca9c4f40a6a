# Writes OUT, a C file with the bytes of IN as report_page.
file(READ ${IN} bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "#include <stddef.h>\nextern const char report_page[];\nextern const size_t report_page_size;\n"
  "const char report_page[] = {\n${bytes}0};\nconst size_t report_page_size = sizeof report_page - 1;\n")
