#!/usr/bin/env python3
"""Prints docs/papers.md, of the figures and texts in tests/bench/papers:
    docs/make_papers.py > docs/papers.md
"""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "bench"))
import papers  # noqa: E402

sys.stdout.write(papers.document())
