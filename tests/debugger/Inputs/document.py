"""document.py DOCUMENT NAME: the block of text after <!-- NAME -->."""
import re
import sys

text = open(sys.argv[1]).read()
print(re.search(rf"<!-- {sys.argv[2]} -->\n```\w*\n(.*?)```\n<!-- end -->", text, re.S).group(1), end="")
